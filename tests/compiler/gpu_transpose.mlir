// A transpose reads and stores neighbouring elements by neighbouring threads, through shared memory.
// RUN: weft compile --emit asm --target sm_90 %s | FileCheck %s --implicit-check-not=.local

// CHECK: entry kernel_elements
// CHECK: entry kernel_tiles
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: st.shared
// CHECK: bar.sync
// CHECK: ld.shared
// CHECK: st.global
func.func @main(%x: tensor<1024x512xf32>) -> tensor<512x1024xf32> {
  %turned = stablehlo.transpose %x, dims = [1, 0] : (tensor<1024x512xf32>) -> tensor<512x1024xf32>
  return %turned : tensor<512x1024xf32>
}
