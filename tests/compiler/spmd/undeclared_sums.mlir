// Devices hold terms of an argument that the program adds up itself, although it does not declare this.
// RUN: sed '/^@wrong/,$d' %s | weft opt - --partition | FileCheck %s
// RUN: sed -n 's/^@wrong //p' %s | not weft opt - --partition 2>&1 | FileCheck %s --check-prefix=WRONG
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK: func.func public @both
// CHECK: "stablehlo.all_reduce"(%arg0)
// CHECK-SAME: replica_groups = dense<{{\[\[}}0, 1, 2, 3]]>
func.func @both(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
    -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = sdy.all_reduce {"x", "y"} %a out_sharding=<@mesh, [{}]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK: func.func public @one
// CHECK: "stablehlo.all_reduce"(%arg0)
// CHECK-SAME: replica_groups = dense<{{\[\[}}0, 2], [1, 3]]>
func.func @one(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
    -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{"y"}]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// A product is a sum of what the devices compute in any case.
// CHECK: func.func public @product
// CHECK: %[[P:.*]] = "stablehlo.dot_general"
// CHECK: "stablehlo.all_reduce"(%[[P]])
// CHECK-NOT: "stablehlo.all_reduce"
func.func @product(%a: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                   %b: tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x4xi32>
  return %1 : tensor<4x4xi32>
}

// WRONG: sdy.all_reduce: the summed argument is not declared unreduced, and is used in other ways as well
@wrong sdy.mesh @mesh = <["x"=2]>
@wrong func.func @main(%a: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<4xi32> {
@wrong   %0 = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}]> : tensor<4xi32>
@wrong   %1 = stablehlo.add %0, %a : tensor<4xi32>
@wrong   return %1 : tensor<4xi32>
@wrong }
