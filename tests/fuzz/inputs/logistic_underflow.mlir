// If exp(-x) overflows, the result is small, but not 0.
func.func @main() -> (tensor<100xf32>, tensor<100xf64>) {
  %i = stablehlo.iota dim = 0 : tensor<100xf32>
  %x = stablehlo.negate %i : tensor<100xf32>
  %d = stablehlo.convert %x : (tensor<100xf32>) -> tensor<100xf64>
  %ten = stablehlo.constant dense<7.5> : tensor<100xf64>
  %z = stablehlo.multiply %d, %ten : tensor<100xf64>
  %y, %u = stablehlo.optimization_barrier %x, %z : tensor<100xf32>, tensor<100xf64>
  %r = stablehlo.logistic %y : tensor<100xf32>
  %s = stablehlo.logistic %u : tensor<100xf64>
  return %r, %s : tensor<100xf32>, tensor<100xf64>
}
