// RUN: weft opt %s --pass=expand-convolutions --verify | FileCheck %s
// A convolution of each channel on its own becomes a sum of slices, each times an element of the kernel.

// CHECK-LABEL: @filter(
// CHECK: %[[PADDED:.*]] = "stablehlo.pad"(%arg0,
// CHECK: "stablehlo.slice"(%[[PADDED]]) <{start_indices = array<i64: 0, 0, 0>, limit_indices = array<i64: 1, 1, 9>, strides = array<i64: 1, 1, 1>}>
// CHECK: "stablehlo.multiply"
// CHECK: "stablehlo.slice"(%[[PADDED]]) <{start_indices = array<i64: 0, 0, 1>, limit_indices = array<i64: 1, 1, 10>, strides = array<i64: 1, 1, 1>}>
// CHECK: "stablehlo.multiply"
// CHECK: "stablehlo.add"
// CHECK-NOT: convolution
func.func @filter(%x: tensor<1x1x9xf32>, %k: tensor<1x1x2xf32>) -> tensor<1x1x9xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[1, 0]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x9xf32>, tensor<1x1x2xf32>) -> tensor<1x1x9xf32>
  return %0 : tensor<1x1x9xf32>
}

// Several channels with two spatial dimensions are left to the library, and so are kernels of many elements.
// CHECK-LABEL: @depthwise(
// CHECK-NEXT: "stablehlo.convolution"
func.func @depthwise(%x: tensor<1x4x9x9xf32>, %k: tensor<4x1x3x3xf32>) -> tensor<1x4x7x7xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x4x9x9xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x7x7xf32>
  return %0 : tensor<1x4x7x7xf32>
}

// CHECK-LABEL: @long(
// CHECK-NEXT: "stablehlo.convolution"
func.func @long(%x: tensor<1x1x100xf32>, %k: tensor<1x1x65xf32>) -> tensor<1x1x36xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x100xf32>, tensor<1x1x65xf32>) -> tensor<1x1x36xf32>
  return %0 : tensor<1x1x36xf32>
}
