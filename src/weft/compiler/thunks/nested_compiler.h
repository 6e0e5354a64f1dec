// Compiles the regions of a node to programs that its thunk runs. Implemented by the compiler of the whole graph.
#pragma once

#include <memory>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

// Outlives every program. Thread-safe.
class NestedCompiler {
 public:
  virtual ~NestedCompiler() = default;
  virtual std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options,
                                                             Report& report) const = 0;
  // The graph must live as long as the program.
  virtual std::shared_ptr<const SizedProgram> compile_for_sizes(const ir::Graph& graph, const Options& options,
                                                                Report& report) const = 0;
};

}  // namespace weft::compiler
