// RUN: weft opt %s --pass=expand-small-dots --verify | FileCheck %s
// Products that are too small for a library call become a loop.

// CHECK-LABEL: @small(
// CHECK: %[[PRODUCTS:.*]] = "stablehlo.multiply"({{.*}} -> tensor<4x8x16xf32>
// CHECK: "stablehlo.reduce"(%[[PRODUCTS]], {{.*}}dimensions = array<i64: 1>
// CHECK-NOT: dot_general
func.func @small(%x: tensor<4x8xf32>, %y: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// Sums of 16-bit floats are rounded once.
// CHECK-LABEL: @half(
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<2x3x3x2xf32>
// CHECK: %[[SUMS:.*]] = "stablehlo.reduce"({{.*}}dimensions = array<i64: 2>
// CHECK: "stablehlo.convert"(%[[SUMS]]) : (tensor<2x3x2xf32>) -> tensor<2x3x2xbf16>
func.func @half(%x: tensor<2x3x3xbf16>, %y: tensor<2x3x2xbf16>) -> tensor<2x3x2xbf16> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x3xbf16>, tensor<2x3x2xbf16>) -> tensor<2x3x2xbf16>
  return %0 : tensor<2x3x2xbf16>
}

// CHECK-LABEL: @large(
// CHECK-NEXT: "stablehlo.dot_general"(%arg0, %arg1)
// CHECK-NEXT: "func.return"
func.func @large(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// Batches of small products, and products of few columns, are loops whatever the number of rows.
// CHECK-LABEL: @matrices(
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<1000x4x4x4xf32>
// CHECK: "stablehlo.reduce"({{.*}}dimensions = array<i64: 2>
func.func @matrices(%x: tensor<1000x4x4xf32>, %y: tensor<1000x4x4xf32>) -> tensor<1000x4x4xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1000x4x4xf32>, tensor<1000x4x4xf32>) -> tensor<1000x4x4xf32>
  return %0 : tensor<1000x4x4xf32>
}

// So are products whose right matrix lies in the other order, which is packed. Sums are down columns, unless they are long.
// CHECK-LABEL: @packed(
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<100x27x64x27xf32>
// CHECK: "stablehlo.reduce"({{.*}}dimensions = array<i64: 2>
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<100x10x10x200xf32>
// CHECK: "stablehlo.reduce"({{.*}}dimensions = array<i64: 3>
func.func @packed(%x: tensor<100x27x64xf32>, %y: tensor<100x10x200xf32>) -> (tensor<100x27x27xf32>, tensor<100x10x10xf32>) {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<100x27x64xf32>, tensor<100x27x64xf32>) -> tensor<100x27x27xf32>
  %1 = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<100x10x200xf32>, tensor<100x10x200xf32>) -> tensor<100x10x10xf32>
  return %0, %1 : tensor<100x27x27xf32>, tensor<100x10x10xf32>
}

// What is summed comes last if it is the last dimension of the right operand.
// CHECK-LABEL: @points(
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<100000x2x3xf32>
// CHECK: "stablehlo.reduce"({{.*}}dimensions = array<i64: 2>
func.func @points(%x: tensor<100000x3xf32>, %y: tensor<2x3xf32>) -> tensor<100000x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<100000x3xf32>, tensor<2x3xf32>) -> tensor<100000x2xf32>
  return %0 : tensor<100000x2xf32>
}

// So are products of a matrix and a vector, of any size; sums run along the dimension of the matrix that is summed.
// CHECK-LABEL: @vectors(
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<3000x64xf32>
// CHECK: "stablehlo.reduce"({{.*}}dimensions = array<i64: 0>
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<3000x64xf32>
// CHECK: "stablehlo.reduce"({{.*}}dimensions = array<i64: 1>
// CHECK: "stablehlo.multiply"({{.*}} -> tensor<3000x64xf32>
// CHECK: "stablehlo.reduce"({{.*}}dimensions = array<i64: 0>
func.func @vectors(%m: tensor<3000x64xf32>, %v: tensor<3000xf32>, %w: tensor<64xf32>) -> (tensor<64xf32>, tensor<3000xf32>, tensor<64xf32>) {
  %0 = stablehlo.dot_general %m, %v, contracting_dims = [0] x [0] : (tensor<3000x64xf32>, tensor<3000xf32>) -> tensor<64xf32>
  %1 = stablehlo.dot_general %m, %w, contracting_dims = [1] x [0] : (tensor<3000x64xf32>, tensor<64xf32>) -> tensor<3000xf32>
  %2 = stablehlo.dot_general %v, %m, contracting_dims = [0] x [0] : (tensor<3000xf32>, tensor<3000x64xf32>) -> tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<3000xf32>, tensor<64xf32>
}

// A matrix of one row is no vector: its product has the bits of one for any number of rows.
// CHECK-LABEL: @row(
// CHECK-NEXT: "stablehlo.dot_general"
func.func @row(%x: tensor<1x64xf32>, %y: tensor<64x300xf32>) -> tensor<1x300xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x64xf32>, tensor<64x300xf32>) -> tensor<1x300xf32>
  return %0 : tensor<1x300xf32>
}
