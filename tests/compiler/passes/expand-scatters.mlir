// RUN: weft opt %s --pass=expand-scatters --machine=twin --verify | FileCheck %s
// A scatter becomes one of rows: the elements of an update that are neighbours in the operand, and the number of their row there.

// CHECK-LABEL: @two_indices(
// CHECK: %[[ROWS:.*]] = "stablehlo.reshape"(%arg0) : (tensor<4x5x6xf32>) -> tensor<20x6xf32>
// CHECK: %[[NUMBERS:.*]] = "stablehlo.convert"({{.*}}) : (tensor<7x1xi64>) -> tensor<7x1xi32>
// CHECK: %[[SUM:.*]] = "stablehlo.scatter"(%[[ROWS]], %[[NUMBERS]], {{.*}}) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
// CHECK: "stablehlo.reshape"(%[[SUM]]) : (tensor<20x6xf32>) -> tensor<4x5x6xf32>
func.func @two_indices(%x: tensor<4x5x6xf32>, %i: tensor<7x2xi32>, %y: tensor<7x6xf32>) -> tensor<4x5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1],
      scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}
      : (tensor<4x5x6xf32>, tensor<7x2xi32>, tensor<7x6xf32>) -> tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}

// Where the updates replace elements, the last update of each row is found first.
// CHECK-LABEL: @replaced(
// CHECK: "stablehlo.scatter"({{.*}}) <{{{.*}}}> ({
// CHECK: stablehlo.maximum
// CHECK: }) : (tensor<4xi32>, tensor<7x1xi32>, tensor<7xi32>) -> tensor<4xi32>
// CHECK: %[[NEW:.*]] = "stablehlo.gather"(%arg2,
// CHECK: "stablehlo.select"(%{{.*}}, %[[NEW]], %arg0)
func.func @replaced(%x: tensor<4x6xf32>, %i: tensor<7x1xi32>, %y: tensor<7x6xf32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<4x6xf32>, tensor<7x1xi32>, tensor<7x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// What is a scatter of rows stays as it is.
// CHECK-LABEL: @rows(
// CHECK-NEXT: "stablehlo.scatter"(%arg0, %arg1, %arg2)
func.func @rows(%x: tensor<4x6xf32>, %i: tensor<7x1xi32>, %y: tensor<7x6xf32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<4x6xf32>, tensor<7x1xi32>, tensor<7x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
