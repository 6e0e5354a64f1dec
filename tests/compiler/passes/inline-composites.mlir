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
