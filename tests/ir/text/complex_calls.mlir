// A function whose complex arguments and results were printed as two parts is called with complex numbers.
// RUN: weft run %s --entry main --interpret
func.func private @twice(%re: tensor<2xf32> {weft.complex = "real"}, %im: tensor<2xf32> {weft.complex = "imag"}, %n: tensor<f32>)
    -> (tensor<2xf32> {weft.complex = "real"}, tensor<2xf32> {weft.complex = "imag"}, tensor<f32>) {
  %0 = stablehlo.add %re, %re : tensor<2xf32>
  %1 = stablehlo.add %im, %im : tensor<2xf32>
  return %0, %1, %n : tensor<2xf32>, tensor<2xf32>, tensor<f32>
}
func.func @main() {
  %z = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
  %n = stablehlo.constant dense<5.0> : tensor<f32>
  %0:2 = func.call @twice(%z, %n) : (tensor<2xcomplex<f32>>, tensor<f32>) -> (tensor<2xcomplex<f32>>, tensor<f32>)
  %1 = stablehlo.constant dense<[(2.0, 4.0), (6.0, 8.0)]> : tensor<2xcomplex<f32>>
  "check.expect_eq"(%0#0, %1) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> ()
  "check.expect_eq"(%0#1, %n) : (tensor<f32>, tensor<f32>) -> ()
  return
}
