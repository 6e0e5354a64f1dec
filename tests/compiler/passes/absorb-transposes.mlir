// RUN: weft opt %s --pass=absorb-transposes --verify | FileCheck %s
// A product reads the operands of transposes in place of their results.

// CHECK-LABEL: @matrices(
// CHECK: %[[PRODUCT:.*]] = "stablehlo.dot_general"(%arg0, %arg1){{.*}}lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]
// CHECK: "func.return"(%[[PRODUCT]])
func.func @matrices(%x: tensor<8x40xf32>, %y: tensor<50x8xf32>) -> tensor<40x50xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x40xf32>) -> tensor<40x8xf32>
  %1 = stablehlo.transpose %y, dims = [1, 0] : (tensor<50x8xf32>) -> tensor<8x50xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<40x8xf32>, tensor<8x50xf32>) -> tensor<40x50xf32>
  return %2 : tensor<40x50xf32>
}

// Heads lie behind the time in memory.
// CHECK-LABEL: @heads(
// CHECK: "stablehlo.dot_general"(%arg0, %arg1){{.*}}lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]
func.func @heads(%q: tensor<2x5x3x8xf32>, %k: tensor<2x7x3x8xf32>) -> tensor<2x3x5x7xf32> {
  %0 = stablehlo.transpose %q, dims = [0, 2, 1, 3] : (tensor<2x5x3x8xf32>) -> tensor<2x3x5x8xf32>
  %1 = stablehlo.transpose %k, dims = [0, 2, 3, 1] : (tensor<2x7x3x8xf32>) -> tensor<2x3x8x7xf32>
  %2 = stablehlo.dot_general %0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x8xf32>, tensor<2x3x8x7xf32>) -> tensor<2x3x5x7xf32>
  return %2 : tensor<2x3x5x7xf32>
}

// Of two transposes, both are read through, if not the last alone. The result has the free dimensions in the operand's order, so a transpose
// that swaps these stays.
// CHECK-LABEL: @several(
// CHECK: %[[SWAPPED:.*]] = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0, 2>}>
// CHECK: "stablehlo.dot_general"(%arg0, %arg1){{.*}}lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]
// CHECK: "stablehlo.dot_general"(%[[SWAPPED]], %arg1){{.*}}lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]
func.func @several(%x: tensor<4x5x8xf32>, %y: tensor<8x6xf32>) -> (tensor<4x5x6xf32>, tensor<5x4x6xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<4x5x8xf32>) -> tensor<5x4x8xf32>
  %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<5x4x8xf32>) -> tensor<4x8x5xf32>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<4x8x5xf32>, tensor<8x6xf32>) -> tensor<4x5x6xf32>
  %3 = stablehlo.dot_general %0, %y, contracting_dims = [2] x [0] : (tensor<5x4x8xf32>, tensor<8x6xf32>) -> tensor<5x4x6xf32>
  return %2, %3 : tensor<4x5x6xf32>, tensor<5x4x6xf32>
}

// A slice of everything hides no transpose.
// CHECK-LABEL: @sliced(
// CHECK: "stablehlo.dot_general"(%arg0, %arg0){{.*}}lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]
func.func @sliced(%x: tensor<9x3x50xf32>) -> tensor<9x3x3xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<9x3x50xf32>) -> tensor<9x50x3xf32>
  %1 = stablehlo.slice %0 [0:9, 0:50, 0:3] : (tensor<9x50x3xf32>) -> tensor<9x50x3xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<9x50x3xf32>) -> tensor<9x3x50xf32>
  %3 = stablehlo.dot_general %2, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<9x3x50xf32>, tensor<9x50x3xf32>) -> tensor<9x3x3xf32>
  return %3 : tensor<9x3x3xf32>
}
