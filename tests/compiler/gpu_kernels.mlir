// Kernels of a GPU access 16 bytes at a time, keep nothing in local memory, and combine the threads of a warp by exchanges.
// RUN: weft compile --emit asm --target sm_90 %s | FileCheck %s --implicit-check-not=.local --implicit-check-not=div.u64

// CHECK: kernel_whole_rows
// CHECK: ld.global.v4
// CHECK: shfl.sync.bfly.b32
// CHECK: st.global.v4
func.func @main(%x: tensor<64x1024xbf16>) -> tensor<64x1024xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %wide = stablehlo.convert %x : (tensor<64x1024xbf16>) -> tensor<64x1024xf32>
  %square = stablehlo.multiply %wide, %wide : tensor<64x1024xf32>
  %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x1024xf32>, tensor<f32>) -> tensor<64xf32>
  %row = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<64xf32>) -> tensor<64x1024xf32>
  %scaled = stablehlo.multiply %wide, %row : tensor<64x1024xf32>
  %narrow = stablehlo.convert %scaled : (tensor<64x1024xf32>) -> tensor<64x1024xbf16>
  return %narrow : tensor<64x1024xbf16>
}
