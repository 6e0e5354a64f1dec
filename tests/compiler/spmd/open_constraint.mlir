// RUN: weft opt %s --partition | FileCheck %s

// An open dimension stays split as it is, so nothing moves.
// CHECK: func.func public @main(%arg0: tensor<2x6xf32>) -> (tensor<2x6xf32>
// CHECK-NOT: {{all_gather|all_to_all|dynamic_slice}}
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %0 = sdy.sharding_constraint %x <@mesh, [{?}, {}]> : tensor<8x6xf32>
  %1 = stablehlo.add %0, %0 : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
