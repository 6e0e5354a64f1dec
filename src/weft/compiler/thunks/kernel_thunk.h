// A launch of a generated kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/compiler/llvm/jit.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

class KernelThunk final : public runtime::Thunk {
 public:
  // `buffers` are the loop's, inputs first; `parameters` the values of its own.
  KernelThunk(const Loop& loop, Kernel kernel, std::vector<runtime::Slice> buffers,
              std::vector<std::int64_t> parameters);
  void run(const runtime::Launch& launch) const override;

 private:
  Kernel kernel_;
  std::vector<runtime::Slice> buffers_;
  std::vector<std::int64_t> parameters_;
  LoopExtent extent_;
  std::int64_t grain_;
};

}  // namespace weft::compiler
