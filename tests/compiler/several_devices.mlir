// RUN: not weft compile %s 2>&1 | FileCheck %s
// RUN: not weft run %s 2>&1 | FileCheck %s
// RUN: sed 's/num_partitions = 4/num_partitions = 1/' %s >%t.mlir
// RUN: weft run %t.mlir
// A process id has no meaning if the program is split among devices, since weft runs only one of them.

// CHECK: {{^}}error: {{.*}}stablehlo.partition_id at {{.*}}several_devices.mlir:[[# @LINE + 3]] is part of a program that is already split among devices; weft runs only programs that it splits itself, as their sdy.shardings say{{$}}
module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}
