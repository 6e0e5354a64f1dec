// RUN: not weft opt %s 2>&1 | FileCheck %s --strict-whitespace
// RUN: not weft opt %t.none 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: code=0; weft opt 2>/dev/null || code=$?; test $code = 2
// RUN: code=0; weft opt %s 2>/dev/null || code=$?; test $code = 1

// CHECK: {{^}}error: {{.*}}opt_errors.mlir:9:8: 'stablehlo.uniform_quantize': unsupported operation{{$}}
// MISSING: {{^}}error: {{.*No such file}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_quantize %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
