// RUN: weft opt %s --pass=inline-composites --verify | FileCheck %s
// A composite is replaced by its decomposition; other regions stay.

// CHECK-LABEL: @main(
// CHECK-NEXT: %[[SQUARE:.*]] = "stablehlo.multiply"(%arg0, %arg0)
// CHECK-NEXT: %[[RESULT:.*]] = "stablehlo.negate"(%[[SQUARE]])
// CHECK-NEXT: "func.return"(%[[RESULT]])
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "test.square" %x {decomposition = @square} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @branches(
// CHECK-NEXT: "stablehlo.if"(%arg0)
// CHECK-NEXT: "stablehlo.negate"
func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Calls that run for their side effect stay.
// CHECK-LABEL: @effects(
// CHECK-NEXT: %[[SQUARE:.*]] = "stablehlo.multiply"(%arg0, %arg0)
// CHECK-NEXT: "stablehlo.custom_call"(%[[SQUARE]]) <{call_target_name = "somebody.elses", has_side_effect = true
// CHECK-NEXT: "func.return"(%arg0)
func.func @effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "test.told" %x {decomposition = @told} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @told(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  stablehlo.custom_call @somebody.elses(%0) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}
