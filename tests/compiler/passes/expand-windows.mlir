// RUN: weft opt %s --pass=expand-windows --machine=twin --verify | FileCheck %s
// Each element of the windows becomes a slice, and sums of 16-bit floats are rounded once.

// CHECK-LABEL: @pairs(
// CHECK: %[[PADDED:.*]] = "stablehlo.pad"(%arg0, %arg1) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>
// CHECK: %[[FIRST:.*]] = "stablehlo.slice"(%[[PADDED]]) <{start_indices = array<i64: 0>, limit_indices = array<i64: 5>, strides = array<i64: 2>}>
// CHECK: "stablehlo.convert"(%[[FIRST]]) : (tensor<3xbf16>) -> tensor<3xf32>
// CHECK: "stablehlo.slice"(%[[PADDED]]) <{start_indices = array<i64: 1>, limit_indices = array<i64: 6>, strides = array<i64: 2>}>
// CHECK: %[[SUM:.*]] = "stablehlo.add"({{.*}} -> tensor<3xf32>
// CHECK: "stablehlo.convert"(%[[SUM]]) : (tensor<3xf32>) -> tensor<3xbf16>
func.func @pairs(%x: tensor<6xbf16>, %init: tensor<bf16>) -> tensor<3xbf16> {
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %sum = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %sum : tensor<bf16>
  }) : (tensor<6xbf16>, tensor<bf16>) -> tensor<3xbf16>
  return %0 : tensor<3xbf16>
}

// Windows of many elements are left alone.
// CHECK-LABEL: @large(
// CHECK: stablehlo.reduce_window
func.func @large(%x: tensor<100xf32>, %init: tensor<f32>) -> tensor<1xf32> {
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 100>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<100xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// The gradient of a max pool: each window has the number of the element that it selects, and each element, by its place in the steps of the
// windows, gets what is scattered to it, the last number first.
// CHECK-LABEL: @selection(
// CHECK: %[[FIRST:.*]] = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 0>, limit_indices = array<i64: 5>, strides = array<i64: 2>}>
// CHECK: "stablehlo.compare"(%[[FIRST]], %{{.*}}) <{comparison_direction = #stablehlo<comparison_direction GE>
// CHECK: "stablehlo.pad"({{.*}}) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>}> : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: "stablehlo.pad"({{.*}}) <{edge_padding_low = array<i64: 0>, edge_padding_high = array<i64: 1>, interior_padding = array<i64: 0>}> : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK: "stablehlo.concatenate"({{.*}}) <{dimension = 0 : i64}> : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
// CHECK-NOT: select_and_scatter
func.func @selection(%x: tensor<7xf32>, %source: tensor<3xf32>, %init: tensor<f32>) -> tensor<7xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %source, %init) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %keeps = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %keeps : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<7xf32>, tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
