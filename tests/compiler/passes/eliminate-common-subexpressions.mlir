// RUN: weft opt %s --pass=eliminate-common-subexpressions --verify | FileCheck %s
// Nodes with the same op, attributes, bodies and operands are computed once.

// CHECK-LABEL: @main(
// CHECK: %[[SUM:.*]] = "stablehlo.add"(%arg0, %arg1)
// CHECK-NEXT: %[[SQUARE:.*]] = "stablehlo.multiply"(%[[SUM]], %[[SUM]])
// CHECK-NEXT: %[[TOTAL:.*]] = "stablehlo.reduce"(%[[SQUARE]],
// CHECK: "stablehlo.subtract"(%[[TOTAL]], %[[TOTAL]])
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  %1 = stablehlo.add %x, %y : tensor<4xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.subtract %3, %4 : tensor<f32>
  return %2, %5 : tensor<4xf32>, tensor<f32>
}

// Swapped operands, another body, or another attribute make nodes different.
// CHECK-LABEL: @different(
// CHECK: "stablehlo.subtract"(%arg0, %arg1)
// CHECK-NEXT: "stablehlo.subtract"(%arg1, %arg0)
// CHECK: "stablehlo.reduce"
// CHECK: "stablehlo.reduce"
// CHECK: comparison_direction LT
// CHECK: comparison_direction LE
func.func @different(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xi1>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.subtract %x, %y : tensor<4xf32>
  %1 = stablehlo.subtract %y, %x : tensor<4xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.subtract %3, %4 : tensor<f32>
  %6 = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %7 = stablehlo.compare LE, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %8 = stablehlo.xor %6, %7 : tensor<4xi1>
  return %2, %5, %8 : tensor<4xf32>, tensor<f32>, tensor<4xi1>
}
