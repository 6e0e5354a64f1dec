// The maximum of NaN and 0 was 0: in f16, and in f32 if the operands were converted from f16.
func.func @main(%x: tensor<40xf16>) -> (tensor<40xf16>, tensor<40xf32>, tensor<40xf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<40xf16>
  %one = stablehlo.constant dense<1.0> : tensor<40xf16>
  %nan = stablehlo.remainder %one, %zero : tensor<40xf16>
  %small = stablehlo.compare LT, %x, %one : (tensor<40xf16>, tensor<40xf16>) -> tensor<40xi1>
  %y = stablehlo.select %small, %nan, %x : tensor<40xi1>, tensor<40xf16>
  %r = stablehlo.maximum %y, %zero : tensor<40xf16>
  %m = stablehlo.minimum %zero, %y : tensor<40xf16>
  %wide = stablehlo.convert %y : (tensor<40xf16>) -> tensor<40xf32>
  %wide_zero = stablehlo.convert %zero : (tensor<40xf16>) -> tensor<40xf32>
  %w = stablehlo.maximum %wide_zero, %wide : tensor<40xf32>
  return %r, %w, %m : tensor<40xf16>, tensor<40xf32>, tensor<40xf16>
}
