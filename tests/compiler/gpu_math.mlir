// On a GPU, functions use its own instructions outside strict mode, and call nothing.
// RUN: weft compile --emit asm --target sm_90 %s | FileCheck %s --check-prefix=FAST --implicit-check-not=call
// RUN: WEFT_STRICT=1 weft compile --emit asm --target sm_90 %s | FileCheck %s --check-prefix=STRICT --implicit-check-not=call --implicit-check-not=approx

// FAST: kernel_elements
// FAST: ex2.approx.ftz.f32
// FAST-NOT: div.rn.f32
// FAST: rcp.approx.ftz.f32
// FAST: kernel_vectors
// STRICT: kernel_elements
// STRICT: div.rn.f32
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.logistic %x : tensor<1024xf32>
  %1 = stablehlo.multiply %0, %x : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
