// Launches generated kernels on a GPU, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/loop/gpu_grid.h>
#include <weft/compiler/options/target.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

struct GpuKernelCall {
  // `buffers` are the loop's, inputs first; `parameters` are the values of the loop's parameters.
  GpuKernelCall(const Loop& loop, const GpuKernel& kernel, std::vector<runtime::Slice> buffers,
                std::vector<std::int64_t> parameters);
  // A kernel that is not a loop, and how it is divided among threads.
  GpuKernelCall(const GpuKernel& its_kernel, std::vector<runtime::Slice> its_buffers,
                std::vector<std::int64_t> its_parameters, const GpuGrid& its_grid)
      : kernel(&its_kernel), buffers(std::move(its_buffers)), parameters(std::move(its_parameters)), grid(its_grid) {}

  const GpuKernel* kernel;
  std::vector<runtime::Slice> buffers;
  std::vector<std::int64_t> parameters;
  GpuGrid grid;
};

class GpuKernelThunk final : public runtime::Thunk {
 public:
  GpuKernelThunk(std::vector<GpuKernelCall> calls, const Target& target) : calls_(std::move(calls)) {
    on_device = target.is_nvidia();
  }
  void run(const runtime::Launch& launch) const override;

 private:
  std::vector<GpuKernelCall> calls_;
};

}  // namespace weft::compiler
