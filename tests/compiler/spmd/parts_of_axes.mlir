// RUN: weft opt --partition %s | FileCheck %s
// RUN: weft run %s --random 1 --interpret >%t.one
// RUN: weft run %s --random 1 --interpret --devices 8 | tail -n +2 | diff - %t.one
// RUN: weft run %s --random 1 --devices 8 | tail -n +2 | diff - %t.one
// A part of an axis divides like an axis: "y":(2)2 are the positions of "y" within each half.
sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK: stablehlo.all_gather{{.*}}[0, 1], [2, 3], [4, 5], [6, 7]
// CHECK: stablehlo.all_gather{{.*}}[0, 2], [1, 3], [4, 6], [5, 7]
func.func @main(%x: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(2)2}]>}, %y: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {}]>})
    -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.negate %x : tensor<8x8xi32>
  return %0, %y : tensor<8x8xi32>, tensor<8x8xi32>
}
