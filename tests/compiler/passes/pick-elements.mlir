// RUN: weft opt %s --pass=pick-elements --machine=twin --verify | FileCheck %s
// RUN: weft opt %s --pass=pick-elements --verify | FileCheck %s --check-prefix=CPU

// The elementwise ops in front of the sum are applied to the picked elements alone; an index outside of the row picks nothing.
// CHECK-LABEL: @loss(
// CHECK: "stablehlo.gather"{{.*}} -> tensor<4x1xbf16>
// CHECK: "stablehlo.convert"{{.*}} -> tensor<4x1xf32>
// CHECK: "stablehlo.broadcast_in_dim"(%arg1){{.*}} -> tensor<4x1xf32>
// CHECK: "stablehlo.subtract"{{.*}} -> tensor<4x1xf32>
// CHECK: direction GE
// CHECK: direction LT
// CHECK: "stablehlo.select"{{.*}} -> tensor<4x1xf32>
// CHECK-NOT: stablehlo.reduce
// CHECK: return
// CPU-LABEL: @loss(
// CPU: stablehlo.reduce
func.func @loss(%x: tensor<4x9xbf16>, %row: tensor<4xf32>, %index: tensor<4xi32>) -> tensor<4xf32> {
  %wide = stablehlo.convert %x : (tensor<4x9xbf16>) -> tensor<4x9xf32>
  %rows = stablehlo.broadcast_in_dim %row, dims = [0] : (tensor<4xf32>) -> tensor<4x9xf32>
  %difference = stablehlo.subtract %wide, %rows : tensor<4x9xf32>
  %places = stablehlo.iota dim = 1 : tensor<4x9xi32>
  %indices = stablehlo.broadcast_in_dim %index, dims = [0] : (tensor<4xi32>) -> tensor<4x9xi32>
  %is = stablehlo.compare EQ, %indices, %places : (tensor<4x9xi32>, tensor<4x9xi32>) -> tensor<4x9xi1>
  %none = stablehlo.constant dense<0.0> : tensor<4x9xf32>
  %one = stablehlo.select %is, %difference, %none : tensor<4x9xi1>, tensor<4x9xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%one init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<4xf32>
  return %sum : tensor<4xf32>
}

// A sum over another dimension than that of the positions stays.
// CHECK-LABEL: @other_dimension(
// CHECK-NOT: stablehlo.gather
// CHECK: stablehlo.reduce
func.func @other_dimension(%x: tensor<4x9xf32>, %index: tensor<4xi32>) -> tensor<9xf32> {
  %places = stablehlo.iota dim = 1 : tensor<4x9xi32>
  %indices = stablehlo.broadcast_in_dim %index, dims = [0] : (tensor<4xi32>) -> tensor<4x9xi32>
  %is = stablehlo.compare EQ, %indices, %places : (tensor<4x9xi32>, tensor<4x9xi32>) -> tensor<4x9xi1>
  %none = stablehlo.constant dense<0.0> : tensor<4x9xf32>
  %one = stablehlo.select %is, %x, %none : tensor<4x9xi1>, tensor<4x9xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%one init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x9xf32>, tensor<f32>) -> tensor<9xf32>
  return %sum : tensor<9xf32>
}
