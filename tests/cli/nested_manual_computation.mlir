// RUN: weft run %s --random 1 --devices 8 >%t.compiled
// RUN: weft run %s --random 1 --devices 8 --interpret | diff - %t.compiled
// RUN: tail -n +2 %t.compiled >%t.manual
// RUN: weft run %s --random 1 --entry written_for_one_device | diff - %t.manual
// RUN: sed 's/@main/@first/; s/@in_a_loop/@main/' %s >%t.loop
// RUN: not weft run %t.loop --random 1 --devices 8 2>&1 | FileCheck %s
// A manual computation within another one is along other axes of the mesh.

// CHECK: sdy.manual_computation at {{.*}}: within a loop or branch of another one, it is not supported

sdy.mesh @mesh = <["x"=4, "y"=2]>

func.func @main(%x: tensor<8x6xi32>) -> tensor<8x6xi32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<2x6xi32>) {
    %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%b: tensor<2x3xi32>) {
      %two = stablehlo.constant dense<2> : tensor<ui32>
      %id = stablehlo.partition_id : tensor<ui32>
      %column = stablehlo.remainder %id, %two : tensor<ui32>
      %i = stablehlo.convert %column : (tensor<ui32>) -> tensor<i32>
      %all = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %2 = stablehlo.multiply %b, %all : tensor<2x3xi32>
      sdy.return %2 : tensor<2x3xi32>
    } : (tensor<2x6xi32>) -> tensor<2x6xi32>
    %3 = stablehlo.add %1, %a : tensor<2x6xi32>
    sdy.return %3 : tensor<2x6xi32>
  } : (tensor<8x6xi32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}

func.func @written_for_one_device(%x: tensor<8x6xi32>) -> tensor<8x6xi32> {
  %factors = stablehlo.constant dense<[1, 1, 1, 2, 2, 2]> : tensor<6xi32>
  %all = stablehlo.broadcast_in_dim %factors, dims = [1] : (tensor<6xi32>) -> tensor<8x6xi32>
  %0 = stablehlo.multiply %x, %all : tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}

func.func @in_a_loop(%x: tensor<8x6xi32>) -> tensor<8x6xi32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<2x6xi32>) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = "stablehlo.while"(%zero, %a) ({
    ^bb0(%i: tensor<i32>, %v: tensor<2x6xi32>):
      %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }, {
    ^bb0(%i: tensor<i32>, %v: tensor<2x6xi32>):
      %next = stablehlo.add %i, %one : tensor<i32>
      %w = sdy.manual_computation(%v) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%b: tensor<2x3xi32>) {
        %s = stablehlo.add %b, %b : tensor<2x3xi32>
        sdy.return %s : tensor<2x3xi32>
      } : (tensor<2x6xi32>) -> tensor<2x6xi32>
      stablehlo.return %next, %w : tensor<i32>, tensor<2x6xi32>
    }) : (tensor<i32>, tensor<2x6xi32>) -> (tensor<i32>, tensor<2x6xi32>)
    sdy.return %r#1 : tensor<2x6xi32>
  } : (tensor<8x6xi32>) -> tensor<8x6xi32>
  return %0 : tensor<8x6xi32>
}
