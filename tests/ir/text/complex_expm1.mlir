// exp(z) - 1 of an infinite number whose angle is unknown is NaN in both parts; of other numbers at the end of the range it is -1.
// RUN: weft run %s --entry main --interpret
func.func @main() {
  %z = stablehlo.constant dense<[(0xFF800000, 0x7F800000), (0xFF800000, 1.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.exponential_minus_one %z : tensor<2xcomplex<f32>>
  %re = stablehlo.real %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %im = stablehlo.imag %0 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = stablehlo.constant dense<[0x7FC00000, -1.0]> : tensor<2xf32>
  %2 = stablehlo.constant dense<[0x7FC00000, 0.0]> : tensor<2xf32>
  "check.expect_close"(%re, %1) : (tensor<2xf32>, tensor<2xf32>) -> ()
  "check.expect_close"(%im, %2) : (tensor<2xf32>, tensor<2xf32>) -> ()
  return
}
