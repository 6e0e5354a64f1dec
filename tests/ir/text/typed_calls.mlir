// What a typed call says besides its target is kept as text, also if it is read again. Its operands and results have the order of their layouts.
// RUN: weft opt %s | FileCheck %s
// RUN: weft opt %s | weft opt - | FileCheck %s

// CHECK-LABEL: func.func public @typed
// CHECK: %[[TURNED:.*]] = "stablehlo.transpose"(%arg0)
// CHECK: %[[CALL:.*]]:2 = "stablehlo.custom_call"(%[[TURNED]])
// CHECK-SAME: call_target_name = "solve", has_side_effect = true
// CHECK-SAME: backend_config = "{attributes = {mode = 83 : ui8}, operand_layouts = [array<i64: 0, 1>],
// CHECK-SAME: result_layouts = [array<i64: 0, 1>, array<i64>]
// CHECK-SAME: (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<i32>)
// CHECK: "stablehlo.transpose"(%[[CALL]]#0)
func.func @typed(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>) {
  %0:2 = stablehlo.custom_call @solve(%x) {api_version = 4 : i32, backend_config = {mode = 83 : ui8}, has_side_effect = true,
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}
    : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<i32>
}

// JAX marks typed calls by an attribute of its own. A complex tensor is two tensors.
// CHECK-LABEL: func.func public @marked
// CHECK: "stablehlo.custom_call"(%arg0, %arg1, %arg2)
// CHECK-SAME: backend_config = "{attributes = {}, complex_operands = array<i64: 1>, complex_results = array<i64: 0>}"
// CHECK-NOT: mhlo.backend_config
// CHECK-SAME: (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
func.func @marked(%x: tensor<4xf32>, %z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.custom_call @turn(%x, %z) {backend_config = "", mhlo.backend_config = {}}
    : (tensor<4xf32>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}
