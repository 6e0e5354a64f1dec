// Compiles a graph to an Executable: simplifies, fuses, schedules, plans memory, generates kernels.
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

// Observes what a program becomes while it is compiled. The programs of its loops and branches are reported before it.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void units(const ir::Graph& optimised, std::span<const Unit> units) = 0;
  virtual void executable(const runtime::Executable& executable, const Report& report) = 0;
};

// Compiles the graph. Throws UnsupportedError for what only the interpreter runs: narrow element types, ops that talk to the host or to
// other processes. Thread-safe. Deterministic: equal graphs and options give equal programs.
std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options = {},
                                                   Report* report = nullptr);

// Compiles a graph of symbolic sizes, which must outlive the program. Throws Error if it cannot be compiled without knowing its sizes. The
// report describes no launch until describe_launch is called.
std::shared_ptr<const SizedProgram> compile_for_sizes(const ir::Graph& graph, const Options& options,
                                                      Report* report = nullptr);

// Adds to the report what one launch of this executable does.
void describe_launch(const runtime::Executable& executable, Report& report);

// Forgets the code of kernels, except for programs that are still in use.
void clear_kernel_cache();

}  // namespace weft::compiler
