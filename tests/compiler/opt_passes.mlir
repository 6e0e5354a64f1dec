// RUN: weft opt --verify --pass=simplify,eliminate-dead-nodes %s | FileCheck %s
// RUN: weft opt %s --pass simplify --pass eliminate-dead-nodes --print-after-each | FileCheck %s --check-prefix=EACH
// RUN: weft opt --list-passes | FileCheck %s --check-prefix=LIST
// RUN: code=0; weft opt %s --pass=no-such-pass 2>%t.err || code=$?; test $code = 2
// RUN: FileCheck %s --check-prefix=UNKNOWN <%t.err

// CHECK: func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>) {
// CHECK-NEXT: "func.return"(%arg0)
// EACH: // after simplify
// EACH-NEXT: module {
// EACH: // after eliminate-dead-nodes
// EACH-NEXT: module {
// EACH-NOT: module {
// LIST: {{^}}simplify {{[a-z]}}
// UNKNOWN: error: --pass: there is no pass no-such-pass; --list-passes shows all
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %unused = stablehlo.tanh %x : tensor<4xf32>
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
