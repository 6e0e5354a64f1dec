// RUN: weft opt %s | FileCheck %s
// Wishes about the place of values change nothing: groups of values that should be sharded alike, and orders of elements in memory.

// CHECK: func.func public @main(
// CHECK-NEXT: %0 = "stablehlo.add"(%arg0, %arg0)
// CHECK-NEXT: %1 = "stablehlo.multiply"(%0, %arg1)
// CHECK-NEXT: "func.return"(%1, %arg2, %arg3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>, %c: tensor<2x2xcomplex<f32>>)
    -> (tensor<4x2xf32>, tensor<2x2xcomplex<f32>>) {
  sdy.sharding_group %a group_id=0 : tensor<4x2xf32>
  %0 = stablehlo.add %a, %a : tensor<4x2xf32>
  "sdy.sharding_group"(%0) <{group_id = 0 : i64}> : (tensor<4x2xf32>) -> ()
  %1 = stablehlo.custom_call @LayoutConstraint(%0) {api_version = 4 : i32, backend_config = {},
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}
      : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.multiply %1, %b : tensor<4x2xf32>
  sdy.sharding_group %c group_id=1 : tensor<2x2xcomplex<f32>>
  %3 = stablehlo.custom_call @LayoutConstraint(%c) : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  return %2, %3 : tensor<4x2xf32>, tensor<2x2xcomplex<f32>>
}
