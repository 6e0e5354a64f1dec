// RUN: weft opt %s --pass=turn-dots --verify | FileCheck %s
// The transpose of a product is the product with swapped operands, if nobody needs the untransposed product.

// CHECK-LABEL: @matrices(
// CHECK: %[[TURNED:.*]] = "stablehlo.dot_general"(%arg1, %arg0){{.*}}lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]
// CHECK: "func.return"(%[[TURNED]])
func.func @matrices(%x: tensor<40x8xf32>, %y: tensor<8x50xf32>) -> tensor<50x40xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<40x8xf32>, tensor<8x50xf32>) -> tensor<40x50xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<40x50xf32>) -> tensor<50x40xf32>
  return %1 : tensor<50x40xf32>
}

// Both sides may have several dimensions and batches.
// CHECK-LABEL: @batches(
// CHECK: %[[TURNED:.*]] = "stablehlo.dot_general"(%arg1, %arg0){{.*}} -> tensor<2x3x7x4x5xf32>
// CHECK: "func.return"(%[[TURNED]])
func.func @batches(%x: tensor<2x3x4x5x6xf32>, %y: tensor<2x3x6x7xf32>) -> tensor<2x3x7x4x5xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [2] : (tensor<2x3x4x5x6xf32>, tensor<2x3x6x7xf32>) -> tensor<2x3x4x5x7xf32>
  %1 = stablehlo.transpose %0, dims = [0, 1, 4, 2, 3] : (tensor<2x3x4x5x7xf32>) -> tensor<2x3x7x4x5xf32>
  return %1 : tensor<2x3x7x4x5xf32>
}

// Other permutations stay, and so does a product that is also needed untransposed.
// CHECK-LABEL: @others(
// CHECK: "stablehlo.dot_general"(%arg0, %arg1)
// CHECK: "stablehlo.transpose"
// CHECK: "stablehlo.dot_general"(%arg0, %arg2)
// CHECK: "stablehlo.transpose"
func.func @others(%x: tensor<2x4x6xf32>, %y: tensor<2x6x7xf32>, %z: tensor<2x6x8xf32>) -> (tensor<4x2x7xf32>, tensor<2x8x4xf32>, tensor<2x4x8xf32>) {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x6xf32>, tensor<2x6x7xf32>) -> tensor<2x4x7xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<2x4x7xf32>) -> tensor<4x2x7xf32>
  %2 = stablehlo.dot_general %x, %z, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x6xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  %3 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
  return %1, %3, %2 : tensor<4x2x7xf32>, tensor<2x8x4xf32>, tensor<2x4x8xf32>
}
