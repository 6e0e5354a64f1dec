// How thunks launch kernels of a GPU that are routines.
#pragma once

#include <cstdint>
#include <type_traits>

#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Passes a kernel to the launch's queue. The arguments are addresses and numbers of 64 bits, in the order of the kernel's.
template <class... Arguments>
void launch_on_gpu(const Routine& routine, const GpuGrid& grid, const runtime::Launch& launch, Arguments... arguments) {
  static_assert(((std::is_same_v<Arguments, std::byte*> || std::is_same_v<Arguments, std::int64_t>) && ...));
  void* addresses[] = {&arguments...};
  static_cast<const GpuKernel*>(routine.address)->launch(grid, addresses, launch);
}

}  // namespace weft::compiler
