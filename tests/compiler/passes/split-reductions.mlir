// RUN: weft opt %s --pass=split-reductions --verify | FileCheck %s
// Reductions over separate groups of dimensions are done one group after the other, and a reduction with too few results for the threads is
// split.

// CHECK-LABEL: @mixed(
// CHECK: %[[ROWS:.*]] = "stablehlo.reduce"(%arg0, {{.*}}dimensions = array<i64: 2>
// CHECK: "stablehlo.reduce"(%[[ROWS]], {{.*}}dimensions = array<i64: 0>
func.func @mixed(%x: tensor<8x4x16xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Partial sums of 16-bit floats are not rounded.
// CHECK-LABEL: @short_floats(
// CHECK: %[[WIDE:.*]] = "stablehlo.convert"(%arg0) : (tensor<8x4x16xbf16>) -> tensor<8x4x16xf32>
// CHECK: %[[ROWS:.*]] = "stablehlo.reduce"(%[[WIDE]], {{.*}}dimensions = array<i64: 2>
// CHECK: %[[ALL:.*]] = "stablehlo.reduce"(%[[ROWS]], {{.*}}dimensions = array<i64: 0>
// CHECK: "stablehlo.convert"(%[[ALL]]) : (tensor<4xf32>) -> tensor<4xbf16>
func.func @short_floats(%x: tensor<8x4x16xbf16>) -> tensor<4xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<8x4x16xbf16>, tensor<bf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: @long(
// CHECK: %[[CUT:.*]] = "stablehlo.reshape"(%arg0){{.*}} -> tensor<64x16384xf32>
// CHECK: %[[NEUTRAL:.*]] = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}>
// CHECK: %[[PARTS:.*]] = "stablehlo.reduce"(%[[CUT]], %[[NEUTRAL]]) <{dimensions = array<i64: 1>}>
// CHECK: "stablehlo.reduce"(%[[PARTS]], %arg1) <{dimensions = array<i64: 0>}>
func.func @long(%x: tensor<1048576xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<1048576xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @kept(
// CHECK: "stablehlo.reduce"(%arg0, {{.*}}dimensions = array<i64: 2>
// CHECK: "stablehlo.reduce"(%arg1, {{.*}}dimensions = array<i64: 1>
// CHECK-NOT: "stablehlo.reduce"
func.func @kept(%x: tensor<8x4x16xf32>, %y: tensor<4096x4096xf32>) -> (tensor<8x4xf32>, tensor<4096xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x4xf32>
  %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x4096xf32>, tensor<f32>) -> tensor<4096xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<4096xf32>
}
