// A program for many sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/runtime/executable.h>

namespace weft::compiler {

// A program for many sizes: that of a graph whose dims are expressions of size_symbol(0), size_symbol(1)... Its kernels take sizes as
// launch parameters; what remains to be done for new sizes is arithmetic. Thread-safe.
class SizedProgram {
 public:
  virtual ~SizedProgram() = default;
  // The program for these values of the symbols: it computes what that of the graph with these sizes computes, and in strict mode
  // the same bits. The last inputs of the graph, of one element each, become these constants of it. Null: it does not serve the
  // sizes; `why_not` then says why.
  virtual std::shared_ptr<const runtime::Executable> at(std::vector<std::int64_t> symbols,
                                                        std::span<const std::span<const std::byte>> constants,
                                                        std::string& why_not) const = 0;
};

}  // namespace weft::compiler
