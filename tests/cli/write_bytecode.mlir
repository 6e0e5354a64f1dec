// RUN: weft opt %s --output %t.mlir.bc --locations
// RUN: weft opt %s --output %t.text --locations
// RUN: weft opt %t.mlir.bc --locations | diff - %t.text
// RUN: head -c 64 %t.mlir.bc | grep -a -o 'StableHLO_v[0-9.]*' | FileCheck %s --check-prefix=NEWEST
// RUN: weft opt %s --output %t.old.mlirbc --target 1.4.0
// RUN: head -c 64 %t.old.mlirbc | grep -a -o 'StableHLO_v[0-9.]*' | FileCheck %s --check-prefix=OLD
// RUN: weft run %t.old.mlirbc --random 1 >%t.old
// RUN: weft run %s --random 1 | diff - %t.old
// RUN: not weft opt %s --output %t.mlir.bc --target 1.3 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not weft opt %s --output %t.mlir.bc --target 2.0 2>&1 | FileCheck %s --check-prefix=FUTURE
// RUN: not weft opt %s --output %t.mlir.bc --target new 2>&1 | FileCheck %s --check-prefix=NO-VERSION
// RUN: not weft opt %s --target 1.10 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: weft compile %s --emit stablehlo --output %t.compiled.mlir.bc
// RUN: weft run %t.compiled.mlir.bc --random 1 | diff - %t.old
// RUN: not weft compile %s --emit plan --output %t.mlir.bc 2>&1 | FileCheck %s --check-prefix=PLAN
// Programs are written as bytecode of a version.

// NEWEST: {{^}}StableHLO_v1.20.0{{$}}
// OLD: {{^}}StableHLO_v1.4.0{{$}}
// MISSING: {{^}}error: stablehlo.tan at model.py:12: exists only since StableHLO 1.4; the target is 1.3{{$}}
// FUTURE: {{^}}error: StableHLO 2.0 is not written; choose a version from 0.9 to 1.20{{$}}
// NO-VERSION: --target: expected a version of StableHLO such as 1.10, got new
// NO-FILE: --target: only bytecode has a version; --output must name a file FILE.mlir.bc
// PLAN: only --emit stablehlo is written as bytecode

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tan %x : tensor<4xf32> loc("tangent"("model.py":12:0))
  return %0 : tensor<4xf32>
}
