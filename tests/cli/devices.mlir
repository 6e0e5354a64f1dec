// RUN: WEFT_CUDA_DRIVER= weft devices | FileCheck %s --check-prefix=NONE
// RUN: WEFT_CUDA_DRIVER= weft devices --json | FileCheck %s --check-prefix=NONE-JSON
// RUN: WEFT_CUDA_DRIVER=/nowhere/libcuda.so.1 weft devices | FileCheck %s --check-prefix=NOWHERE
// RUN: WEFT_CUDA_DRIVER=$(dirname $(command -v weft))/../lib/libfalse_driver.so weft devices | FileCheck %s
// RUN: WEFT_CUDA_DRIVER=$(dirname $(command -v weft))/../lib/libfalse_driver.so weft devices --json | FileCheck %s --check-prefix=JSON

// NONE: cpu {{[0-9]+}} CPUs, {{.*}} of memory available
// NONE-NEXT: no GPU: WEFT_CUDA_DRIVER is empty, so that GPUs are not used
// NONE-JSON: {"cpu":{"cpus":{{[0-9]+}},"available_bytes":{{[0-9]+}}},"gpus":[],"no_gpu":"WEFT_CUDA_DRIVER is empty, so that GPUs are not used"}
// NOWHERE: no GPU: the NVIDIA driver is not installed, or not found in this container: /nowhere/libcuda.so.1

// CHECK: cuda:0  False GPU, compute capability 9.0, 4 multiprocessors, 4.0 GiB of memory
// CHECK-NEXT: driver  CUDA 12.5 ({{.*}}libfalse_driver.so)
// JSON: "gpus":[{"device":"cuda:0","name":"False GPU","compute_capability":[9,0],"multiprocessors":4,"memory_bytes":4294967296}],"driver":{"cuda":"12.5","library":"{{.*}}libfalse_driver.so"}
