// RUN: weft opt %s --pass=eliminate-dead-nodes --verify | FileCheck %s
// What no output needs goes, chains of it whole; inputs stay, for callers count them.

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
