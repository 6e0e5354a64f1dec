// Operations of early versions of StableHLO are printed as those that replaced them.
// RUN: weft opt %s | FileCheck %s

func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<2xi32>)
    -> (tensor<2x4xf32>, tensor<4x2xf32>, tensor<3xf32>, tensor<2x2xf32>, tensor<5x2x3xf32>) {
  // CHECK: stablehlo.dot_general
  %0 = stablehlo.dot %a, %b, precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.dot_general
  // CHECK: stablehlo.transpose
  %1 = stablehlo.einsum %a, %b, config = "ab,bc->ca" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  // CHECK: stablehlo.reduce
  %2 = stablehlo.unary_einsum %a, config = "ab->b" : (tensor<2x3xf32>) -> tensor<3xf32>
  // CHECK: stablehlo.gather
  %3 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}>
      : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.broadcast_in_dim
  %4 = stablehlo.broadcast %a, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  return %0, %1, %2, %3, %4 : tensor<2x4xf32>, tensor<4x2xf32>, tensor<3xf32>, tensor<2x2xf32>, tensor<5x2x3xf32>
}
