// Overlapping windows whose window dimension comes first in the updates: the last update in row-major order wins. Also windows that
// overlap along the innermost dimension, which is divided among threads.
func.func @main(%u: tensor<4x5x5xf32>, %v: tensor<64x90xf32>) -> (tensor<5x5xf32>, tensor<100xf32>) {
  %x = stablehlo.constant dense<1.0> : tensor<5x5xf32>
  %at = stablehlo.constant dense<[[[6, 0, 7, 1, 8], [2, 0, 7, 4, 4]], [[7, 7, 4, 0, 3], [0, -1, 6, 4, 4]], [[6, 4, 1, 6, 1], [0, 1, -1, -1, 5]], [[7, 6, 8, -1, 1], [7, 5, 0, 2, -1]], [[-1, -1, 3, 2, 0], [7, 6, 8, 0, 3]]]> : tensor<5x2x5xi32>
  %r = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x5xf32>, tensor<5x2x5xi32>, tensor<4x5x5xf32>) -> tensor<5x5xf32>
  %y = stablehlo.constant dense<0.0> : tensor<100xf32>
  %row = stablehlo.iota dim = 0 : tensor<64x1xi32>
  %ten = stablehlo.constant dense<10> : tensor<64x1xi32>
  %starts = stablehlo.remainder %row, %ten : tensor<64x1xi32>
  %s = "stablehlo.scatter"(%y, %starts, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %c = stablehlo.multiply %a, %half : tensor<f32>
    %d = stablehlo.add %c, %b : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<100xf32>, tensor<64x1xi32>, tensor<64x90xf32>) -> tensor<100xf32>
  return %r, %s : tensor<5x5xf32>, tensor<100xf32>
}
