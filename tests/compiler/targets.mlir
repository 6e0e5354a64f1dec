// Code for other machines uses the vector width of the target.
// RUN: weft compile --emit llvm --target x86-64-v2 %s | FileCheck %s --check-prefix=FOUR
// RUN: weft compile --emit llvm --target x86-64-v3 %s | FileCheck %s --check-prefix=EIGHT
// RUN: weft compile --emit llvm --target x86-64-v4 %s | FileCheck %s --check-prefix=SIXTEEN
// RUN: weft compile --emit asm --target armv8-a %s | FileCheck %s --check-prefix=ARM
// RUN: not weft compile --target pdp-11 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// FOUR: load <4 x float>
// FOUR-NOT: <8 x float>
// FOUR-NOT: <16 x float>
// EIGHT: load <8 x float>
// EIGHT-NOT: <16 x float>
// SIXTEEN: load <16 x float>
// UNKNOWN: error: there is no target named pdp-11: choose one of native, x86-64-v2, x86-64-v3, x86-64-v4, armv8-a
// ARM: ldr q
// ARM: fmul v{{[0-9]+}}.4s
func.func @main(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<1024xf32>
  %1 = stablehlo.add %0, %x : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
