// RUN: weft opt %s --pass=expand-convolutions --verify | FileCheck %s
// RUN: weft opt %s --pass=expand-convolutions --machine=twin --verify | FileCheck %s --check-prefix=GPU
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

// For a GPU, the patches under a kernel of several channels become the rows of a matrix, beside each other in memory. The same patches serve
// the gradient of the kernel, where the few positions are listed.
// GPU-LABEL: @channels(
// GPU: %[[PADDED:.*]] = "stablehlo.pad"(%arg0,
// GPU: "stablehlo.slice"(%[[PADDED]]) <{start_indices = array<i64: 0, 0, 0, 0>, limit_indices = array<i64: 2, 7, 9, 4>, strides = array<i64: 1, 2, 1, 1>}>
// GPU: "stablehlo.slice"(%[[PADDED]]) <{start_indices = array<i64: 0, 2, 2, 0>, limit_indices = array<i64: 2, 9, 11, 4>, strides = array<i64: 1, 2, 1, 1>}>
// GPU: %[[ALL:.*]] = "stablehlo.concatenate"({{.*}}) <{dimension = 3 : i64}> : {{.*}} -> tensor<2x4x9x9x4xf32>
// GPU: %[[PATCHES:.*]] = "stablehlo.reshape"(%[[ALL]]) : {{.*}} -> tensor<2x4x9x3x3x4xf32>
// GPU: "stablehlo.dot_general"(%[[PATCHES]], %arg1) {{.*}}lhs_contracting_dimensions = [3, 4, 5], rhs_contracting_dimensions = [0, 1, 2]
// GPU: %[[LISTED:.*]] = "stablehlo.reshape"({{.*}}) : {{.*}} -> tensor<2x4x9x3x3x4xf32>
// GPU: "stablehlo.dot_general"(%[[LISTED]], %arg2) {{.*}}lhs_contracting_dimensions = [0, 1, 2], rhs_contracting_dimensions = [0, 1, 2]
func.func @channels(%x: tensor<2x9x9x4xf32>, %k: tensor<3x3x4x5xf32>, %c: tensor<2x4x9x5xf32>) -> (tensor<2x4x9x5xf32>, tensor<3x3x4x5xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 0], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x4x5xf32>) -> tensor<2x4x9x5xf32>
  %1 = stablehlo.convolution(%x, %c) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[0, 0], [1, 1]], rhs_dilate = [2, 1]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x4xf32>, tensor<2x4x9x5xf32>) -> tensor<3x3x4x5xf32>
  return %0, %1 : tensor<2x4x9x5xf32>, tensor<3x3x4x5xf32>
}

// Where both the kernel and the result are long, nothing is few enough to be listed.
// GPU-LABEL: @both_long(
// GPU-NEXT: "stablehlo.convolution"
func.func @both_long(%x: tensor<1x2x200xf32>, %k: tensor<1x2x100xf32>) -> tensor<1x1x101xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x200xf32>, tensor<1x2x100xf32>) -> tensor<1x1x101xf32>
  return %0 : tensor<1x1x101xf32>
}
