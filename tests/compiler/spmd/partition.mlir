// RUN: weft opt %s --partition --verify | FileCheck %s
// RUN: weft opt %s --partition | weft opt - --verify | FileCheck %s
// RUN: sed '/sdy.mesh/d' %s >%t.mlir
// RUN: not weft opt %t.mlir --partition 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/"data"=4/"data"=3/' %s >%t.mlir
// RUN: not weft opt %t.mlir --partition 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: sed 's/{"data"}, {}]> : tensor<8x2/{"batch"}, {}]> : tensor<8x2/' %s >%t.mlir
// RUN: not weft opt %t.mlir --partition 2>&1 | FileCheck %s --check-prefix=AXIS

// A product that sums over the split dimension gives a partial sum, which the constraint adds up.
// CHECK: module attributes {mhlo.num_partitions = 8 : i32
// CHECK: func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>) -> (tensor<2x2xf32>)
// CHECK: stablehlo.dot_general{{.*}} -> tensor<2x2xf32>
// CHECK: stablehlo.all_reduce{{.*}}replica_groups = dense<{{\[\[}}0, 1], [2, 3], [4, 5], [6, 7]]>
// CHECK-NOT: {{all_gather|sharding_constraint}}

// NONE: there is no sdy.mesh, so it is not known among which devices to divide the program
// SIZE: the sharding of argument 0: sharding: dimension 0 of tensor<8x6xf32> does not divide into 3 shards {{.*}} the nearest sizes that do are 6 and 9
// AXIS: the mesh (data=4, model=2) has no axis 'batch'
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
                %w: tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model", ?}, {}]>}) -> tensor<8x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {}]> : tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}
