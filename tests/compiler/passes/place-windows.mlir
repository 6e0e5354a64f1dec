// RUN: weft opt %s --pass=place-windows --verify | FileCheck %s
// A gather of one window at a constant place becomes a slice; a window that reaches beyond the operand is moved inwards.

// CHECK-LABEL: @row(
// CHECK: %[[ROW:.*]] = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 4, 0>, limit_indices = array<i64: 5, 3>
// CHECK: "stablehlo.reshape"(%[[ROW]])
// CHECK-NOT: gather
func.func @row(%x: tensor<5x3xf32>) -> tensor<3xf32> {
  %i = stablehlo.constant dense<7> : tensor<1xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0],
    start_index_map = [0]>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Several windows stay a gather.
// CHECK-LABEL: @rows(
// CHECK: "stablehlo.gather"
func.func @rows(%x: tensor<5x3xf32>) -> tensor<2x3xf32> {
  %i = stablehlo.constant dense<[[1], [4]]> : tensor<2x1xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A window that is added to zeros is padded.
// CHECK-LABEL: @to_zeros(
// CHECK: %[[SUM:.*]] = "stablehlo.add"
// CHECK: "stablehlo.pad"(%[[SUM]], %{{.*}}) <{edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 0, 1>
// CHECK-NOT: scatter
func.func @to_zeros(%u: tensor<5xf32>) -> tensor<5x3xf32> {
  %x = stablehlo.constant dense<0.0> : tensor<5x3xf32>
  %i = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
    inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<1xi32>, tensor<5xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: @to_others(
// CHECK: %[[OLD:.*]] = "stablehlo.slice"(%arg0)
// CHECK: %[[NEW:.*]] = "stablehlo.maximum"(%[[OLD]], %{{.*}})
// CHECK: "stablehlo.dynamic_update_slice"(%arg0, %[[NEW]],
// CHECK-NOT: scatter
func.func @to_others(%x: tensor<5x3xf32>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %i = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1],
    scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// A window that does not fit is left out by scatter, which stays.
// CHECK-LABEL: @outside(
// CHECK: "stablehlo.scatter"
func.func @outside(%x: tensor<5x3xf32>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %i = stablehlo.constant dense<4> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1],
    scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
