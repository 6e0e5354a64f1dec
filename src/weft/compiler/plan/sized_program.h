#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <weft/base/status.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

// A program for many sizes: compiled from a graph whose dims are expressions of size_symbol(0), size_symbol(1)... Its kernels take sizes as
// launch parameters, so new sizes need only arithmetic. Thread-safe.
class SizedProgram {
 public:
  virtual ~SizedProgram() = default;
  // Returns the program for these values of the symbols. It computes the same as a program compiled from the graph with these sizes, in
  // strict mode the same bits. The last inputs of the graph, of one element each, are replaced by these constants. Fails if the program
  // does not serve these sizes.
  virtual Result<std::shared_ptr<const runtime::Executable>> at(
      std::vector<std::int64_t> symbols, std::span<const std::span<const std::byte>> constants) const = 0;
};

}  // namespace weft::compiler
