// A driver that pretends that this machine has a GPU, for tests: a library with the functions of the NVIDIA driver that weft calls. What it
// is given is done on the CPU, late, and it is stricter than a real driver where that finds mistakes:
//   - A host access to a device address is a segmentation fault.
//   - Calls without a current context fail, and so do copies and kernels beyond a live block of memory.
//   - Calls that may wait or allocate fail while the thread captures a stream, and so does the capture.
//   - New memory has a content that is not zero, and copies read the memory of the host when they are done, not when they are asked for.
// It is also a tool for NVTX (weft/runtime/cuda/nvtx.h), and counts ranges.
// Kernels are functions that tests add under a name. An image of code is a text that contains the names of its kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::runtime::cuda {

// Addresses of the false GPU have this bit, and are invalid on the host.
inline constexpr std::uintptr_t false_gpu_bit = std::uintptr_t{1} << 52;

// Returns where the bytes at an address of the false GPU are. For kernels.
template <class T>
T* from_false_gpu(T* address) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) & ~false_gpu_bit);
}

// Its functions beside the driver's, from the library that WEFT_CUDA_DRIVER names in tests.
struct FalseDriver {
  // `kernel` gets the address of each argument, of which there are `count` with these sizes. A result other than 0 is an error of the GPU.
  using Kernel = int (*)(void** arguments);
  void (*add_kernel)(const char* name, Kernel kernel, const std::size_t* argument_bytes, std::size_t count);
  // The call of `function`, a name as in driver.h, after `calls_before` more calls returns this error.
  void (*fail)(const char* function, int error, int calls_before);
  // Makes the GPU usable again after an error of a kernel, and forgets what fail() asked for.
  void (*reset)();
  void (*set_version)(int version);
  void (*set_memory)(std::size_t bytes);  // of the GPU
  // Moves the clock that times events forward. Work that a stream does can call this to seem long.
  void (*advance)(std::uint64_t nanoseconds);
  struct Live {
    std::size_t blocks, bytes, pinned_blocks, streams, events, modules, graphs;
  };
  Live (*live)();  // made and not yet released
  std::size_t (*graph_launches)();
  // As a tool for NVTX: how many ranges with this name have begun, and how many of all are open.
  std::size_t (*ranges_named)(const char* name);
  int (*open_ranges)();
};

// Makes the false driver the one that this process uses, unless tests are to use a real GPU (WEFT_TEST_GPU=1). Must be called before the
// first use of the driver; returns whether the false one is used.
bool use_false_driver();
// Returns the functions of the false driver.
const FalseDriver& false_driver();

}  // namespace weft::runtime::cuda
