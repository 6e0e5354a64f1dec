// RUN: weft opt --partition %s | FileCheck %s
// RUN: weft run %s --random 1 --interpret >%t.one
// RUN: weft run %s --random 1 --interpret --devices 4 | tail -n +2 | diff - %t.one
// RUN: weft run %s --random 1 --devices 4 | tail -n +2 | diff - %t.one
// RUN: sed '/^func/s/tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@mesh, \[{}, /tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, /' %s >%t.input
// RUN: not weft opt --partition %t.input 2>&1 | FileCheck %s --check-prefix=INPUT
// A constraint splits a dimension among as many devices as its size allows; what is declared for inputs must divide.

// INPUT: the nearest sizes that do are 4 and 8
sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: @main
// CHECK-SAME: tensor<6x3xi32>
// CHECK: stablehlo.dot_general{{.*}}(tensor<3x3xi32>, tensor<3x5xi32>) -> tensor<3x5xi32>
// CHECK: stablehlo.all_gather
func.func @main(%x: tensor<6x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %y: tensor<3x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<6x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.reshard %x <@mesh, [{"x", "y"}, {}]> : tensor<6x3xi32>
  %1 = sdy.reshard %y <@mesh, [{"y"}, {}]> : tensor<3x5xi32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<6x3xi32>, tensor<3x5xi32>) -> tensor<6x5xi32>
  return %2 : tensor<6x5xi32>
}
