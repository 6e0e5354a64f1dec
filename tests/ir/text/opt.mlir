// RUN: weft opt %s | FileCheck %s
// RUN: weft opt %s | weft opt - | FileCheck %s
// RUN: weft opt --locations %s | FileCheck %s --check-prefix=LOC

// CHECK: module {
// CHECK-NEXT:   func.func public @sum(%arg0: tensor<4x8xf32>) -> (tensor<4xf32>) {
// CHECK-NEXT:     %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
// CHECK-NEXT:     %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 1>}> ({
// CHECK-NEXT:     ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
// CHECK-NEXT:       %2 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT:       "stablehlo.return"(%2) : (tensor<f32>) -> ()
// CHECK-NEXT:     }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:     "func.return"(%1) : (tensor<4xf32>) -> ()
// CHECK-NEXT:   }
// CHECK-NEXT: }
// LOC: "stablehlo.reduce"
// LOC: -> tensor<4xf32> loc("head"("model.cpp":7:0))
func.func @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32> loc("head"("model.cpp":7:3))
  return %sum : tensor<4xf32>
}

// -----

// CHECK: // -----
// CHECK: func.func public @choose
// CHECK: %0 = "stablehlo.if"(%arg0) ({
// CHECK-NEXT: %1 = "stablehlo.negate"(%arg1)
// CHECK-NEXT: "stablehlo.return"(%1)
// CHECK-NEXT: }, {
// CHECK-NEXT: "stablehlo.return"(%arg1)
// CHECK-NEXT: }) : (tensor<i1>) -> tensor<4xf32>
func.func @choose(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
