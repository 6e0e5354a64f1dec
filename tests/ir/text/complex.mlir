// A program of complex numbers is printed as a real program whose arguments and results say which part they are.
// RUN: weft opt %s | FileCheck %s
// RUN: weft opt %s > %t.mlir && weft opt %t.mlir | diff %t.mlir -

// CHECK: func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 1 : i32, weft.complex = "real"},
// CHECK-SAME: %arg1: tensor<2xf32> {tf.aliasing_output = 2 : i32, weft.complex = "imag"})
// CHECK-SAME: -> (tensor<f32> {jax.result_info = "size"}, tensor<2xf32> {weft.complex = "real"}, tensor<2xf32> {weft.complex = "imag"})
func.func @main(%z: tensor<2xcomplex<f32>> {tf.aliasing_output = 1 : i32})
    -> (tensor<f32> {jax.result_info = "size"}, tensor<2xcomplex<f32>>) {
  // CHECK-DAG: %[[RE:.*]] = "stablehlo.constant"() <{value = dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>}>
  // CHECK-DAG: %[[IM:.*]] = "stablehlo.constant"() <{value = dense<[-1.000000e+00, 0.000000e+00]> : tensor<2xf32>}>
  %c = stablehlo.constant dense<[(0.5, -1.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
  // CHECK: %[[SUM:.*]] = "stablehlo.add"(%arg0, %[[RE]])
  // CHECK: "stablehlo.add"(%arg1, %[[IM]])
  %sum = stablehlo.add %z, %c : tensor<2xcomplex<f32>>
  // CHECK-COUNT-2: "stablehlo.reverse"
  %back = stablehlo.reverse %sum, dims = [0] : tensor<2xcomplex<f32>>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %re = stablehlo.real %back : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: "stablehlo.reduce"
  %size = stablehlo.reduce(%re init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %size, %back : tensor<f32>, tensor<2xcomplex<f32>>
}
