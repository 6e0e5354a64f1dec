// RUN: weft opt --partition %s | FileCheck %s
// RUN: weft run %s --entry turned --random 1 --interpret >%t.one
// RUN: weft run %s --entry turned --random 1 --interpret --devices 8 | tail -n +2 | diff - %t.one
// RUN: weft run %s --entry turned --random 1 --devices 8 | tail -n +2 | diff - %t.one
// RUN: weft run %s --entry moved --random 1 --interpret >%t.one
// RUN: weft run %s --entry moved --random 1 --interpret --devices 8 | tail -n +2 | diff - %t.one
// RUN: weft run %s --entry moved --random 1 --devices 8 | tail -n +2 | diff - %t.one
// A mesh may list its devices in another order than that of their numbers. Between two orders, shards move.
sdy.mesh @plain = <["x"=2, "y"=4]>
sdy.mesh @turned = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @mixed = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>

// A device's coordinates are those of its place in the order, and groups are in this order, too.
// CHECK-LABEL: @turned
// CHECK-DAG: stablehlo.constant{{.*}} dense<[7, 6, 5, 4, 3, 2, 1, 0]>
// CHECK-DAG: stablehlo.partition_id
// CHECK: stablehlo.all_gather{{.*}}[7, 3], [6, 2], [5, 1], [4, 0]
// CHECK: stablehlo.reduce_scatter{{.*}}[7, 6, 5, 4], [3, 2, 1, 0]
func.func @turned(%x: tensor<8x16xi32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}, {}]>}, %y: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@turned, [{"y"}, {"x"}]>})
    -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@turned, [{"y"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xi32>, tensor<16x8xi32>) -> tensor<8x8xi32>
  %1 = sdy.sharding_constraint %0 <@turned, [{"x", "y"}, {}]> : tensor<8x8xi32>
  return %1 : tensor<8x8xi32>
}

// CHECK-LABEL: @moved
// CHECK: stablehlo.collective_permute
// CHECK-SAME: {{.*}}[7, 0], [6, 2], [5, 4], [4, 6], [3, 1], [2, 3], [1, 5], [0, 7]{{.*}}
// CHECK: stablehlo.collective_permute
// CHECK-NOT: stablehlo.collective_permute
// CHECK: return
func.func @moved(%x: tensor<16xi32> {sdy.sharding = #sdy.sharding<@turned, [{"x", "y"}]>}, %y: tensor<16xi32> {sdy.sharding = #sdy.sharding<@plain, [{}]>})
    -> (tensor<16xi32> {sdy.sharding = #sdy.sharding<@plain, [{"x", "y"}]>}, tensor<16xi32> {sdy.sharding = #sdy.sharding<@mixed, [{}]>}) {
  %0 = stablehlo.add %x, %x : tensor<16xi32>
  %1 = sdy.sharding_constraint %0 <@mixed, [{"x", "y"}]> : tensor<16xi32>
  %2 = stablehlo.multiply %1, %y : tensor<16xi32>
  return %2, %y : tensor<16xi32>, tensor<16xi32>
}
