// RUN: weft run %s --random 1 --interpret >%t.one
// RUN: weft run %s --random 1 --interpret --devices 8 >%t.eight
// RUN: head -n 1 %t.eight | FileCheck %s
// RUN: tail -n +2 %t.eight | diff - %t.one
// RUN: weft run %s --random 1 --interpret --devices 8 --json | FileCheck %s --check-prefix=JSON
// RUN: not weft run %s --random 1 --interpret --devices 4 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: weft run %s --random 1 --devices 8 | diff - %t.eight
// RUN: weft explain --collectives %s | FileCheck %s --check-prefix=WHY
// RUN: weft profile --output %t.profile -- run %s --random 1 --devices 8 2>&1 | FileCheck %s --check-prefix=PROFILE
// The program of a mesh computes the same as on one device.

// CHECK: 8 devices (data=4, model=2): 1 all_gather, 1 all_reduce; each device sends
// JSON: "devices":8,"collectives":2,"sent_bytes":
// WHY: 8 devices (data=4, model=2): 1 all_gather, 1 all_reduce; each device sends 64 B
// WHY: all_gather along data: each device sends 48 B, 3/4 of tensor<8x2xi32>
// WHY-NEXT: {{^}}  an output needs the whole of dot_general at {{.*}}mesh.mlir:[[# @LINE + 11]], of which each device has a part
// WHY: all_reduce along model: each device sends 16 B, 2 x 1/2 of tensor<2x2xi32>
// WHY-NEXT: {{^}}  an output needs the sum of what each device computes in dot_general at {{.*}}mesh.mlir:[[# @LINE + 9]]{{$}}
// PROFILE-DAG: all_reduce
// PROFILE-DAG: @7
// PROFILE: report.html
// FOUR: mesh.mlir: the mesh (data=4, model=2) has 8 devices, --devices gives 4
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
                %w: tensor<6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xi32>, tensor<6x2xi32>) -> tensor<8x2xi32>
  return %0 : tensor<8x2xi32>
}
