// RUN: weft opt %s --pass=fold-constants --verify | FileCheck %s
// Nodes whose operands are constants are computed at compile time; large results only if all elements are equal.

// CHECK-LABEL: @main(
// CHECK-DAG: %[[PRODUCT:.*]] = "stablehlo.constant"() <{value = dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]>
// CHECK-DAG: %[[SUM:.*]] = "stablehlo.add"(%arg0, %[[PRODUCT]])
// CHECK-DAG: %[[REVERSED:.*]] = "stablehlo.constant"() <{value = dense<[6.000000e+00, 4.000000e+00, 2.000000e+00]>
// CHECK-DAG: %[[BIG:.*]] = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<1000x1000xf32>}>
// CHECK-NOT: stablehlo.multiply
// CHECK: "func.return"(%[[SUM]], %[[REVERSED]], %[[BIG]])
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<1000x1000xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<2.0> : tensor<3xf32>
  %0 = stablehlo.multiply %a, %b : tensor<3xf32>
  %1 = stablehlo.add %x, %0 : tensor<3xf32>
  %2 = stablehlo.reverse %0, dims = [0] : tensor<3xf32>
  %big = stablehlo.constant dense<0.5> : tensor<1000x1000xf32>
  %3 = stablehlo.add %big, %big : tensor<1000x1000xf32>
  return %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<1000x1000xf32>
}

// These results depend on the implementation, so the program computes them: in strict mode it must give the same bits as without folding.
// CHECK-LABEL: @inexact(
// CHECK: "stablehlo.exponential"
// CHECK: "stablehlo.reduce"
// CHECK-NOT: "stablehlo.minimum"
// CHECK: "func.return"
func.func @inexact() -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<i32>) {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.exponential %a : tensor<2xf32>
  %1 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.minimum %a, %a : tensor<2xf32>
  %3 = stablehlo.reduce(%i init: %none) applies stablehlo.add across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<i32>
}

// CHECK-LABEL: @kept(
// CHECK: %[[CONSTANT:.*]] = "stablehlo.constant"()
// CHECK-NEXT: "stablehlo.multiply"(%[[CONSTANT]], %arg0)
// CHECK-NEXT: "stablehlo.broadcast_in_dim"(%[[CONSTANT]])
func.func @kept(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2048xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.multiply %a, %x : tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<2x1024xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x1024xf32>) -> tensor<2048xf32>
  return %0, %2 : tensor<2xf32>, tensor<2048xf32>
}
