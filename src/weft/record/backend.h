// Graph to Executable, by the backend that the knobs choose.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>

namespace weft::ir {
class Graph;
}
namespace weft::runtime {
struct Executable;
}

namespace weft::record {

enum class Backend : std::uint8_t {
  compiled,
  eager,  // compiled with one kernel for each operation as it was recorded
  interpreter,
};
Backend backend();  // from the knobs, or as the innermost scope of this thread says
// "compiled" (or "standard"), "eager", "interpreter". Throws Error, which `what` begins, for another name.
Backend backend_named(std::string_view name, std::string_view what);

// How programs are compiled beside what the knobs say: as the innermost scope of this thread chose.
struct BuildOptions {
  std::string_view name = {};  // of the program; empty: the place of its last operation. It makes no program another
  compiler::Tuning tuning = compiler::Tuning::none;
  bool keeps_memory = false;
  std::uint64_t activation_bytes = 0;
};
const BuildOptions& build_options();

class BuildScope {
 public:
  // No backend: the one that is chosen already.
  BuildScope(std::optional<Backend> backend, const BuildOptions& options);
  ~BuildScope();
  BuildScope(const BuildScope&) = delete;
  BuildScope& operator=(const BuildScope&) = delete;

 private:
  std::optional<Backend> backend_before_;
  BuildOptions options_before_;
};

class BackendScope {
 public:
  explicit BackendScope(Backend backend);
  ~BackendScope();
  BackendScope(const BackendScope&) = delete;
  BackendScope& operator=(const BackendScope&) = delete;

 private:
  std::optional<Backend> before_;
};

// What messages and profiles call the program of the graph.
std::string program_name(const ir::Graph& graph);

// Throws Error for what cannot be compiled. `report` is set by a backend that compiles.
std::shared_ptr<const runtime::Executable> build(Backend backend, std::shared_ptr<const ir::Graph> graph,
                                                 std::vector<bool> donatable, std::optional<compiler::Report>& report);

// One host thunk that interprets the graph: slow, and right.
std::shared_ptr<const runtime::Executable> interpreted(std::shared_ptr<const ir::Graph> graph,
                                                       const std::vector<bool>& donatable);

}  // namespace weft::record
