// Graph to Executable: simplify, fuse, schedule, plan memory, generate kernels.
#pragma once

#include <memory>
#include <span>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

struct Unit;

// Sees what a program becomes while it is compiled; before it, the programs of its loops and branches.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void units(const ir::Graph& optimised, std::span<const Unit> units) = 0;
  virtual void executable(const runtime::Executable& executable, const Report& report) = 0;
};

// Compiles the graph. Throws UnsupportedError for what only the interpreter runs: narrow element types, ops that talk to the host or
// to other processes. Thread-safe; deterministic: equal graphs and options give equal
// programs.
std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options = {},
                                                   Report* report = nullptr);

// The graph must live as long as the program. Throws Error where it cannot be compiled without knowing its sizes. Of a launch the
// report says nothing before describe_launch.
std::shared_ptr<const SizedProgram> compile_for_sizes(const ir::Graph& graph, const Options& options,
                                                      Report* report = nullptr);

// Has the report say what a launch of this executable is.
void describe_launch(const runtime::Executable& executable, Report& report);

// Forgets the code of kernels, but for that of programs that are held.
void clear_kernel_cache();

}  // namespace weft::compiler
