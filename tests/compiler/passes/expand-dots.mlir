// RUN: weft opt %s --pass=expand-dots --verify | FileCheck %s
// Products that the library lacks: integers and empty products become sums, and 16-bit floats are computed in f32.

// CHECK-LABEL: @integers(
// CHECK: %[[PRODUCTS:.*]] = "stablehlo.multiply"({{.*}} -> tensor<2x3x4xi32>
// CHECK: "stablehlo.reduce"(%[[PRODUCTS]], {{.*}}dimensions = array<i64: 1>
// CHECK-NOT: dot_general
func.func @integers(%x: tensor<2x3xi32>, %y: tensor<3x4xi32>) -> tensor<2x4xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: @half(
// CHECK: %[[DOT:.*]] = "stablehlo.dot_general"({{.*}}(tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: "stablehlo.convert"(%[[DOT]]) : (tensor<2x4xf32>) -> tensor<2x4xf16>
func.func @half(%x: tensor<2x3xf16>, %y: tensor<3x4xf16>) -> tensor<2x4xf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}

// CHECK-LABEL: @empty(
// CHECK-NOT: dot_general
// CHECK: "stablehlo.reduce"
func.func @empty(%x: tensor<2x0xf32>, %y: tensor<0x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @kept(
// CHECK-NEXT: "stablehlo.dot_general"(%arg0, %arg1)
// CHECK-NEXT: "func.return"
func.func @kept(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
