// RUN: weft opt %s --pass=order-dot-operands --verify | FileCheck %s
// Operands are transposed if strides alone cannot give them the dimension order of a matrix product.

// CHECK-LABEL: @main(
// CHECK-NEXT: %[[RHS:.*]] = "stablehlo.transpose"(%arg1) <{permutation = array<i64: 2, 1, 0, 3>}>
// CHECK-NEXT: "stablehlo.dot_general"(%arg0, %[[RHS]])
// CHECK-SAME: lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [1, 2]
func.func @main(%x: tensor<4x2x5x3xf32>, %y: tensor<3x5x4x6xf32>) -> tensor<4x2x6xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [2, 3] x [1, 0] : (tensor<4x2x5x3xf32>, tensor<3x5x4x6xf32>) -> tensor<4x2x6xf32>
  return %0 : tensor<4x2x6xf32>
}

// CHECK-LABEL: @left(
// CHECK-NEXT: %[[LHS:.*]] = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0, 2>}>
// CHECK-NEXT: "stablehlo.dot_general"(%[[LHS]], %arg1)
// CHECK-SAME: lhs_contracting_dimensions = [1, 2], rhs_contracting_dimensions = [0, 1]
func.func @left(%x: tensor<5x4x3xf32>, %y: tensor<5x3x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 2] x [0, 1] : (tensor<5x4x3xf32>, tensor<5x3x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @both(
// CHECK-NEXT: %[[LHS:.*]] = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0, 2>}>
// CHECK-NEXT: %[[RHS:.*]] = "stablehlo.transpose"(%arg1) <{permutation = array<i64: 0, 2, 1>}>
// CHECK-NEXT: "stablehlo.dot_general"(%[[LHS]], %[[RHS]])
func.func @both(%x: tensor<5x4x3xf32>, %y: tensor<5x6x3xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 2] x [0, 2] : (tensor<5x4x3xf32>, tensor<5x6x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @ordered(
// CHECK-NEXT: "stablehlo.dot_general"(%arg0, %arg1)
// CHECK-NEXT: "func.return"
func.func @ordered(%x: tensor<4x2x3xf32>, %y: tensor<4x6x3xf32>) -> tensor<4x2x6xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x2x3xf32>, tensor<4x6x3xf32>) -> tensor<4x2x6xf32>
  return %0 : tensor<4x2x6xf32>
}
