// RUN: weft run %s --random 1 --interpret >%t.one
// RUN: weft run %s --random 1 --interpret --devices 8 >%t.eight
// RUN: head -n 1 %t.eight | FileCheck %s
// RUN: tail -n +2 %t.eight | diff - %t.one
// RUN: weft run %s --random 1 --interpret --devices 8 --json | FileCheck %s --check-prefix=JSON
// RUN: not weft run %s --random 1 --interpret --devices 4 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: weft run %s --random 1 --devices 8 | diff - %t.eight
// RUN: weft explain --collectives %s | FileCheck %s --check-prefix=WHY
// RUN: weft explain --collectives --json %s | FileCheck %s --check-prefix=WHYJSON
// RUN: weft explain --shardings %s | FileCheck %s --check-prefix=HOW
// RUN: not weft explain --json %s 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: weft profile --output %t.profile -- run %s --random 1 --devices 8 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: weft explain %t.profile --collectives | FileCheck %s --check-prefix=RAN
// RUN: weft explain %t.profile --collectives --json | FileCheck %s --check-prefix=RANJSON
// The program of a mesh computes the same as on one device.

// CHECK: 8 devices (data=4, model=2): 1 all_gather, 1 all_reduce; each device sends
// JSON: "devices":8,"collectives":2,"sent_bytes":
// WHYJSON: {"mesh":"data=4, model=2","devices":8,"sent_bytes":64.0,"predicted":{"step_ms":{{.*}},"collectives":[{"collective":"all_gather"
// HOW: x: tensor<8x6xi32> [{"data"}, {"model"}]
// HOW-NEXT: {{^}}  divided along data in dimension 0, as it is given
// HOW: dot_general at {{.*}}mesh.mlir:{{[0-9]+}}: tensor<8x2xi32> [{"data"}, {}], unreduced={"model"}
// HOW-NEXT: {{^}}  divided along data in dimension 0, as x is in dimension 0{{$}}
// HOW-NEXT: {{^}}  a partial sum along model: dot_general at {{.*}} sums over dimension 1 of x, which is divided{{$}}
// ALONE: --json needs --collectives
// RAN: 2 collectives take
// RAN: carries 1 tensor: each device sends {{.*}}; predicted {{.*}} ms, measured {{.*}} ms, hidden {{.*}} ms, exposed {{.*}} ms
// RAN: it is gone with results held as the data flow leaves them
// RANJSON: {"communication_ns":{{[0-9]+}},"exposed_ns":
// WHY: 8 devices (data=4, model=2): 1 all_gather, 1 all_reduce; each device sends 64 B
// WHY: all_gather along data: each device sends 48 B, 3/4 of tensor<8x2xi32>
// WHY-NEXT: {{^}}  an output needs the whole of dot_general at {{.*}}mesh.mlir:[[# @LINE + 12]], of which each device has a part
// WHY-NEXT: {{^}}  it is gone with results held as the data flow leaves them; in all, each device then sends 16 B instead of 64 B, predicted exposed
// WHY: all_reduce along model: each device sends 16 B, 2 x 1/2 of tensor<2x2xi32>
// WHY-NEXT: {{^}}  an output needs the sum of what each device computes in dot_general at {{.*}}mesh.mlir:[[# @LINE + 9]]{{$}}
// PROFILE-DAG: all_reduce
// PROFILE-DAG: @7
// PROFILE: report.html
// FOUR: mesh.mlir: the mesh (data=4, model=2) has 8 devices, --devices gives 4
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>} loc("x"),
                %w: tensor<6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>} loc("params['w']"))
    -> (tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xi32>, tensor<6x2xi32>) -> tensor<8x2xi32>
  return %0 : tensor<8x2xi32>
}
