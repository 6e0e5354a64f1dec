// The bf16 instructions treat subnormal numbers as zero, and zero times an infinity is NaN.
module {
  func.func public @main() -> (tensor<2x5xbf16>) {
    %0 = "stablehlo.constant"() <{value = dense<[[3.004055e+38, -2.953125e+00, -1.164062e+00, -1.718750e+00, 0x7F80, 1.148438e+00, -3.859375e+00, -3.859375e+00], [1.609375e+00, 3.004055e+38, 3.546875e+00, -5.390625e-01, 2.562500e+00, -3.359375e+00, 3.281250e+00, 3.531250e+00], [2.375000e+00, 3.546875e+00, 3.140625e+00, 3.593750e+00, -1.960938e+00, 7.070312e-01, 1.539062e+00, 9.414062e-01], [-3.730469e-01, -1.718750e+00, 2.484375e+00, 2.890625e+00, -2.218750e+00, -8.593750e-01, 2.937500e+00, 0x7F80], [-1.304688e+00, -8.906250e-01, 3.004055e+38, 9.183550e-41, -3.125000e+00, 1.664062e+00, 9.183550e-41, 1.929688e+00]]> : tensor<5x8xbf16>}> : () -> tensor<5x8xbf16>
    %1 = "stablehlo.constant"() <{value = dense<[[6.553600e+04, 3.812500e+00], [1.539062e+00, -1.000000e+00], [-5.898438e-01, 0.000000e+00], [0x7F80, 2.750000e+00], [1.898438e+00, -3.781250e+00], [3.953125e+00, -9.414062e-01], [-1.796875e+00, 6.553600e+04], [0.000000e+00, 2.984375e+00]]> : tensor<8x2xbf16>}> : () -> tensor<8x2xbf16>
    %2 = "stablehlo.dot_general"(%1, %0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]>}> : (tensor<8x2xbf16>, tensor<5x8xbf16>) -> tensor<2x5xbf16>
    "func.return"(%2) : (tensor<2x5xbf16>) -> ()
  }
}
