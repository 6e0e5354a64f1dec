// RUN: weft run %s --random 1 --devices 8 >%t.compiled
// RUN: weft run %s --random 1 --devices 8 --interpret | diff - %t.compiled
// RUN: head -n 1 %t.compiled | FileCheck %s --check-prefix=SENT
// RUN: tail -n +2 %t.compiled >%t.manual
// RUN: weft run %s --random 1 --entry written_for_one_device | diff - %t.manual
// RUN: weft opt %s >%t.generic
// RUN: weft opt %t.generic | diff - %t.generic
// RUN: FileCheck %s --check-prefix=GENERIC <%t.generic
// RUN: weft run %t.generic --random 1 --devices 8 | diff - %t.compiled
// RUN: not weft run %s --random 1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: weft explain %s --entry main --collectives | FileCheck %s --check-prefix=WHY
// RUN: sed 's/"data"}, {}\]>\] manual/"data"}, {"model"}]>] manual/' %s >%t.wrong
// RUN: not weft run %t.wrong --random 1 --devices 8 2>&1 | FileCheck %s --check-prefix=WRONG
// A manual computation is the program of every device, as jax.shard_map writes it.

// WHY: collective_permute along data: each device sends 32 B, all of tensor<2x4xi32>
// WHY-NEXT: {{^}}  it is written at {{.*}}manual_computation.mlir:{{[0-9]+$}}
// GENERIC: {{^      }}"sdy.return"({{.*}}) : ({{.*}}) -> (){{$}}
// SENT: 8 devices (data=4, model=2): 1 all_reduce, 1 collective_permute; each device sends
// ONE: {{^}}error: sdy.manual_computation at {{.*}}:[[# @LINE + 6]] computes on shards: divide the program among the devices of its sdy.mesh, as `weft run --devices` does{{$}}
// WRONG: {{^}}error: {{.*}}sdy.manual_computation: result 0 of type tensor<8x4xi32> has shards of type tensor<2x2xi32>, in the region it is tensor<2x4xi32>

sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func @main(%x: tensor<8x6xi32>, %w: tensor<6x4xi32>) -> tensor<8x4xi32> {
  %0 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"data"}, {"model"}]>, <@mesh, [{"model"}, {}]>] out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"data", "model"} (%a: tensor<2x3xi32>, %b: tensor<3x4xi32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %s = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %3 = "stablehlo.collective_permute"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 2], [2, 4], [4, 6], [6, 0], [1, 3], [3, 5], [5, 7], [7, 1]]> : tensor<8x2xi64>}> : (tensor<2x4xi32>) -> tensor<2x4xi32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %id = stablehlo.partition_id : tensor<ui32>
    %row = stablehlo.divide %id, %two : tensor<ui32>
    %i = stablehlo.convert %row : (tensor<ui32>) -> tensor<i32>
    %all = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2x4xi32>
    %4 = stablehlo.multiply %3, %all : tensor<2x4xi32>
    sdy.return %4 : tensor<2x4xi32>
  } : (tensor<8x6xi32>, tensor<6x4xi32>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
}

// Row blocks move to the next position, and are multiplied by it.
func.func @written_for_one_device(%x: tensor<8x6xi32>, %w: tensor<6x4xi32>) -> tensor<8x4xi32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xi32>, tensor<6x4xi32>) -> tensor<8x4xi32>
  %last = stablehlo.slice %0 [6:8, 0:4] : (tensor<8x4xi32>) -> tensor<2x4xi32>
  %rest = stablehlo.slice %0 [0:6, 0:4] : (tensor<8x4xi32>) -> tensor<6x4xi32>
  %1 = stablehlo.concatenate %last, %rest, dim = 0 : (tensor<2x4xi32>, tensor<6x4xi32>) -> tensor<8x4xi32>
  %positions = stablehlo.constant dense<[0, 0, 1, 1, 2, 2, 3, 3]> : tensor<8xi32>
  %all = stablehlo.broadcast_in_dim %positions, dims = [0] : (tensor<8xi32>) -> tensor<8x4xi32>
  %2 = stablehlo.multiply %1, %all : tensor<8x4xi32>
  return %2 : tensor<8x4xi32>
}
