// RUN: weft opt %s --pass=expand-padding --verify | FileCheck %s
// Each element becomes a row of one element, which is padded behind it; there is nothing behind the last element.

// CHECK-LABEL: @holes(
// CHECK: %[[APART:.*]] = "stablehlo.reshape"(%arg0) : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
// CHECK: %[[ROWS:.*]] = "stablehlo.pad"(%[[APART]], %arg1) <{edge_padding_low = array<i64: 0, 0, 0>, edge_padding_high = array<i64: 0, 0, 2>, interior_padding = array<i64: 0, 0, 0>}>
// CHECK: %[[JOINED:.*]] = "stablehlo.reshape"(%[[ROWS]]) : (tensor<2x5x3xf32>) -> tensor<2x15xf32>
// CHECK: "stablehlo.pad"(%[[JOINED]], %arg1) <{edge_padding_low = array<i64: 0, -1>, edge_padding_high = array<i64: 0, -1>, interior_padding = array<i64: 0, 0>}>
func.func @holes(%x: tensor<2x5xf32>, %value: tensor<f32>) -> tensor<2x13xf32> {
  %0 = stablehlo.pad %x, %value, low = [0, -1], high = [0, 1], interior = [0, 2] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x13xf32>
  return %0 : tensor<2x13xf32>
}

// CHECK-LABEL: @edges(
// CHECK-NOT: reshape
func.func @edges(%x: tensor<2x5xf32>, %value: tensor<f32>) -> tensor<3x5xf32> {
  %0 = stablehlo.pad %x, %value, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
