// RUN: weft opt %s --pass=eliminate-dead-nodes --verify | FileCheck %s
// Nodes that no output needs are removed, including whole chains. Inputs stay, since callers count them, and so do nodes with effects.

// CHECK-LABEL: @main(
// CHECK-SAME: %arg0: tensor<4xf32>, %arg1: tensor<2xi32>
// CHECK-NEXT: %[[EXP:.*]] = "stablehlo.exponential"(%arg0)
// CHECK-NEXT: "func.return"(%[[EXP]], %arg0)
func.func @main(%x: tensor<4xf32>, %unused: tensor<2xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.exponential %x : tensor<4xf32>
  %3 = stablehlo.sine %2 : tensor<4xf32>
  return %2, %x : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @effects(
// CHECK-NEXT: %[[TANH:.*]] = "stablehlo.tanh"(%arg0)
// CHECK-NEXT: "stablehlo.custom_call"(%[[TANH]]) <{call_target_name = "somebody.elses", has_side_effect = true
// CHECK-NEXT: "stablehlo.while"
// CHECK: somebody.elses
// CHECK-NOT: nobody.looks
func.func @effects(%x: tensor<f32>, %n: tensor<i32>) {
  %0 = stablehlo.tanh %x : tensor<f32>
  stablehlo.custom_call @somebody.elses(%0) {has_side_effect = true} : (tensor<f32>) -> ()
  %1 = stablehlo.sine %x : tensor<f32>
  %2 = stablehlo.custom_call @nobody.looks(%1) : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.while(%i = %n) : tensor<i32> cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    stablehlo.custom_call @somebody.elses(%i) {has_side_effect = true} : (tensor<i32>) -> ()
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return
}
