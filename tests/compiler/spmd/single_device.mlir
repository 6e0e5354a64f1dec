// RUN: weft opt --partition %s | FileCheck %s
// RUN: weft opt %s >%t.again
// RUN: weft opt --partition %t.again | FileCheck %s
// RUN: weft run %s --random 1 --interpret >%t.one
// RUN: weft run %s --random 1 --interpret --devices 4 | tail -n +2 | diff - %t.one
// RUN: weft run %s --random 1 --devices 4 | tail -n +2 | diff - %t.one
// RUN: sed 's/device_ids=\[2\]/device_ids=[4]/' %s >%t.beyond
// RUN: not weft opt --partition %t.beyond 2>&1 | FileCheck %s --check-prefix=BEYOND
// What a mesh of a single device places there is computed from whole operands, and all devices get that device's result.

// BEYOND: a value is placed on device 4 of 4
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @third = <[], device_ids=[2]>

// CHECK-LABEL: @main
// CHECK-SAME: tensor<1x3xi32>
// CHECK: stablehlo.all_gather
// CHECK: stablehlo.add{{.*}} tensor<4x3xi32>
// CHECK: stablehlo.collective_broadcast{{.*}}[2, 1, 0, 3]
// CHECK: stablehlo.collective_broadcast{{.*}}[2, 1, 0, 3]
func.func @main(%x: tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} : tensor<4x3xi32>
  %1 = stablehlo.multiply %0, %x : tensor<4x3xi32>
  %2 = sdy.sharding_constraint %1 <@third, []> : tensor<4x3xi32>
  return %2 : tensor<4x3xi32>
}
