// RUN: weft run %S/../ir/bytecode/inputs/jax_sort.mlir --random 1 >%t.text
// RUN: weft run %S/../ir/bytecode/inputs/jax_sort.0.9.0.mlir.bc --random 1 | diff - %t.text
// RUN: cp %S/../ir/bytecode/inputs/jax_sort.1.17.0.mlir.bc %t.any_name
// RUN: weft run %t.any_name --random 1 --interpret | FileCheck %s --check-prefix=RESULT
// RUN: weft opt %t.any_name | FileCheck %s --check-prefix=OPT
// RUN: weft opt - <%t.any_name | FileCheck %s --check-prefix=OPT
// RUN: weft compile %t.any_name --emit stablehlo | FileCheck %s --check-prefix=OPT
// RUN: weft explain %t.any_name | FileCheck %s --check-prefix=EXPLAIN
// RUN: head -c 700 %t.any_name >%t.cut
// RUN: not weft run %t.cut --random 1 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: sed 's/compare_v1/compaxe_v1/' %t.any_name >%t.unknown
// RUN: not weft opt %t.unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: weft opt --keep-going %t.unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not weft opt %s
// RUN: weft opt --keep-going %s 2>&1 | FileCheck %s --check-prefix=SECTIONS
// Bytecode is known by its first bytes, and runs as its text does.

// RESULT: {{^}}result 0: tensor<4x8xf32>
// EXPLAIN: sort(%parameter.1)
// OPT: "stablehlo.sort"
// CUT: {{^}}error: {{.*}}.cut:byte {{[0-9]+}}: {{.*}} do not fit in the {{[0-9]+}} bytes that are left{{$}}
// UNKNOWN: {{.*}}.unknown:{{.*}}byte {{[0-9]+.*}}: 'stablehlo.compaxe': unsupported operation
// SECTIONS: bytecode.mlir:[[# @LINE + 3]]:{{[0-9]+}}: func.func @wrong: %y is not defined
// SECTIONS: "stablehlo.negate"
func.func @wrong(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %y : tensor<f32>
  return %0 : tensor<f32>
}
// -----
func.func @right(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x : tensor<f32>
  return %0 : tensor<f32>
}
