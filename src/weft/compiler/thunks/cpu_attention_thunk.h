// Computes attention, or its gradient, with a generated kernel.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

class CpuAttentionThunk final : public runtime::Thunk {
 public:
  // `parameters` are the kernel's. `task_flops` says how much work a task is.
  CpuAttentionThunk(Kernel kernel, std::vector<runtime::Slice> buffers, std::vector<std::int64_t> parameters,
                    std::int64_t tasks, double task_flops, std::int64_t scratch_bytes)
      : kernel_(kernel),
        buffers_(std::move(buffers)),
        parameters_(std::move(parameters)),
        tasks_(tasks),
        task_flops_(task_flops),
        scratch_bytes_(scratch_bytes) {}
  void run(const runtime::Launch& launch) const override;

 private:
  Kernel kernel_;
  std::vector<runtime::Slice> buffers_;
  std::vector<std::int64_t> parameters_;
  std::int64_t tasks_;
  double task_flops_;
  std::int64_t scratch_bytes_;
};

}  // namespace weft::compiler
