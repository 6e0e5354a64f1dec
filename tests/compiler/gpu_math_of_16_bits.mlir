// An exponential of 16-bit numbers needs no correction of what the rounding of its operand lost; that of wider numbers does.
// RUN: weft compile --emit asm --target sm_90 --entry narrow %s | FileCheck %s --check-prefix=NARROW
// RUN: weft compile --emit asm --target sm_90 --entry wide %s | FileCheck %s --check-prefix=WIDE

// NARROW: kernel_elements
// NARROW-NOT: fma.rn.f32
// NARROW: ex2.approx.ftz.f32
// NARROW-NOT: fma.rn.f32
// NARROW: ret
func.func @narrow(%x: tensor<1000xbf16>) -> tensor<1000xf32> {
  %wide = stablehlo.convert %x : (tensor<1000xbf16>) -> tensor<1000xf32>
  %y = stablehlo.exponential %wide : tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// WIDE: kernel_elements
// WIDE: fma.rn.f32
// WIDE: ex2.approx.ftz.f32
// WIDE: fma.rn.f32
func.func @wide(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = stablehlo.exponential %x : tensor<1000xf32>
  return %y : tensor<1000xf32>
}
