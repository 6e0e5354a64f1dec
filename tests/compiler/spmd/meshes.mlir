// RUN: weft opt --partition %s 2>&1 | FileCheck %s
// RUN: sed 's/a, \[{"x"}\]>} *) *->/b, [{"x"}]>}) ->/' %s >%t.two
// RUN: not weft opt --partition %t.two 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: sed 's/<\["x"=4\]>/<[], device_ids=[1]>/' %s >%t.single
// RUN: not weft opt --partition %t.single 2>&1 | FileCheck %s --check-prefix=SINGLE
// RUN: sed 's/<@a,/<@c,/g' %s >%t.missing
// RUN: not weft opt --partition %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// A module may have several meshes, of which each function uses one, or several of the same devices. Shardy's own collectives only change how a
// value is sharded, and a process id is that of the device.

// TWO: the function uses the meshes a (x=2) and b (x=4), whose axes have no parts in common
// SINGLE: weft places no arguments and results on single devices, as the mesh b asks for
// MISSING: there is no sdy.mesh @c
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=4]>
sdy.mesh @none = <[]>
sdy.mesh @square = <["i"=2, "j"=2]>
sdy.mesh @z = <["q"=4]>

// CHECK-LABEL: @of_two
// CHECK-SAME: tensor<2xf32>
// CHECK: stablehlo.all_gather
func.func @of_two(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{}]>}) {
  %0 = sdy.all_gather [{"x"}] %x out_sharding=<@a, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @of_four
// CHECK-SAME: tensor<1xf32>
// CHECK: stablehlo.partition_id
func.func @of_four(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) {
  %id = stablehlo.partition_id : tensor<ui32>
  %f = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %all = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.add %x, %all : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// JAX says with a mesh without axes that a value is whole on every device.
// CHECK-LABEL: @of_four_and_none
// CHECK-SAME: (%{{.*}}: tensor<4xf32>) -> (tensor<1xf32>)
func.func @of_four_and_none(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@none, [{}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}) {
  return %x : tensor<4xf32>
}

// A function that uses several meshes is divided on one whose axes all of them are made of.
// CHECK-LABEL: @of_two_by_two_and_four
// CHECK-SAME: (%{{.*}}: tensor<2x2xf32>) -> (tensor<1x4xf32>)
// CHECK: stablehlo.all_{{gather|to_all}}
func.func @of_two_by_two_and_four(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@square, [{"i"}, {"j"}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {}]>}) {
  return %x : tensor<4x4xf32>
}

// Manual axes are those of the mesh that has axes.
// CHECK-LABEL: @manual_axes
// CHECK: stablehlo.add{{.*}} : (tensor<1x4xf32>, tensor<1x4xf32>)
func.func @manual_axes(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@square, [{"i"}, {"j"}]>}, %s: tensor<f32>) -> tensor<4x4xf32> {
  %0 = sdy.manual_computation(%x, %s) in_shardings=[<@z, [{"q"}, {}]>, <@none, []>] out_shardings=[<@z, [{"q"}, {}]>] manual_axes={"q"}
      (%a: tensor<1x4xf32>, %b: tensor<f32>) {
    %1 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %2 = stablehlo.add %a, %1 : tensor<1x4xf32>
    sdy.return %2 : tensor<1x4xf32>
  } : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
