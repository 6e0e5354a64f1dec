// RUN: weft opt %s --pass=expand-folds --machine=twin --verify | FileCheck %s
// Groups of 8 neighbours are combined until one element is left of each row.

// CHECK-LABEL: @last(
// CHECK: "stablehlo.pad"(%arg0, %arg1) {{.*}}edge_padding_high = array<i64: 0, 4>
// CHECK: "stablehlo.reshape"{{.*}} -> tensor<3x3x8xi32>
// CHECK-COUNT-8: "stablehlo.slice"{{.*}} -> tensor<3x3x1xi32>
// CHECK-COUNT-3: "stablehlo.slice"{{.*}} -> tensor<3x1x1xi32>
// CHECK-NOT: stablehlo.reduce
func.func @last(%x: tensor<3x20xi32>, %init: tensor<i32>) -> tensor<3xi32> {
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %is = stablehlo.compare NE, %b, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %last = stablehlo.select %is, %b, %a : tensor<i1>, tensor<i32>
    stablehlo.return %last : tensor<i32>
  }) : (tensor<3x20xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// A running sum adds the sums of ever more elements that lie in front.
// CHECK-LABEL: @running(
// CHECK-COUNT-7: "stablehlo.add"
// CHECK: "stablehlo.slice"{{.*}} -> tensor<2xf32>
// CHECK: "stablehlo.pad"{{.*}}edge_padding_low = array<i64: 8>
// CHECK: "stablehlo.add"
// CHECK-NOT: "stablehlo.add"
func.func @running(%x: tensor<10xf32>) -> tensor<10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 10>, padding = dense<[[9, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// Sums are kernels of their own kind.
// CHECK-LABEL: @sum(
// CHECK: "stablehlo.reduce"(%arg0, %arg1)
func.func @sum(%x: tensor<20xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0] : (tensor<20xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
