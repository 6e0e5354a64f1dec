// A program runs on the device that --device or WEFT_DEVICE names, here a GPU on which this operation is left to the host.
// RUN: WEFT_CUDA_DRIVER=$(dirname $(command -v weft))/../lib/libfalse_driver.so weft run --device cuda %s --json | FileCheck %s --check-prefix=GPU
// RUN: WEFT_DEVICE=cuda:0 WEFT_CUDA_DRIVER=$(dirname $(command -v weft))/../lib/libfalse_driver.so weft run %s --json | FileCheck %s --check-prefix=GPU
// RUN: WEFT_CUDA_DRIVER=$(dirname $(command -v weft))/../lib/libfalse_driver.so weft run --device cuda %s | FileCheck %s --check-prefix=VALUES
// RUN: WEFT_DEVICE=cuda WEFT_CUDA_DRIVER= weft run --device cpu %s --json | FileCheck %s --check-prefix=CPU --implicit-check-not="runs on the host"

// GPU: "fallbacks":[{{.*}}runs on the host, which waits for the GPU
// VALUES: result 0: tensor<2x2xf32> [2, 0, 1, 3]
// CPU: "fallbacks":[
func.func @main() -> tensor<2x2xf32> {
  %square = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf32>
  %root = stablehlo.cholesky %square, lower = true : tensor<2x2xf32>
  return %root : tensor<2x2xf32>
}
