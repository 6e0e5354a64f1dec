// Programs for many sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/compiler.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

struct SizedOptions : Options {
  SizeValues sizes = {};  // an example, for which choices of speed are made
};

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

// The graph must live as long as the program. Throws Error where it cannot be compiled without knowing its sizes. Of a launch the
// report says nothing before describe_launch.
std::shared_ptr<const SizedProgram> compile_for_sizes(const ir::Graph& graph, const SizedOptions& options,
                                                      Report* report = nullptr);

// Has the report say what a launch of this executable is.
void describe_launch(const runtime::Executable& executable, Report& report);

}  // namespace weft::compiler
