// Launches a generated kernel, or several small ones as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

struct KernelCall {
  // `buffers` are the loop's, inputs first; `parameters` are the values of the loop's parameters.
  KernelCall(const Loop& loop, Kernel kernel, std::vector<runtime::Slice> buffers,
             std::vector<std::int64_t> parameters);

  Kernel kernel;
  std::vector<runtime::Slice> buffers;
  std::vector<std::int64_t> parameters;
  LoopExtent extent;
  std::int64_t task_elements;
};

class KernelThunk final : public runtime::Thunk {
 public:
  explicit KernelThunk(KernelCall call) { calls_.push_back(std::move(call)); }
  // No call may read or write what another call writes.
  explicit KernelThunk(std::vector<KernelCall> calls) : calls_(std::move(calls)) {}
  void run(const runtime::Launch& launch) const override;

 private:
  void run_together(const runtime::Launch& launch) const;

  std::vector<KernelCall> calls_;
};

}  // namespace weft::compiler
