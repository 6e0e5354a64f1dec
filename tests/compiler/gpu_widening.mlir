// Each element is extended on its own: PTX has no load of a vector of f32 to registers of f64.
// RUN: weft compile --emit asm --target sm_90 %s | FileCheck %s

// CHECK: kernel_vectors
// CHECK-NOT: f32 {{.*}}%fd
// CHECK: cvt.f64.f32
func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf64> {
  %wide = stablehlo.convert %x : (tensor<4096xf32>) -> tensor<4096xf64>
  %square = stablehlo.multiply %wide, %wide : tensor<4096xf64>
  return %square : tensor<4096xf64>
}
