// Compiles a Graph to an Executable, with the backend that the knobs choose.
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
  eager,  // compiled, with one kernel for each operation as recorded
  interpreter,
};
Backend backend();  // as the innermost scope of this thread chose, or else the knobs
// Parses "compiled" (or "standard"), "eager" or "interpreter". Throws an Error that starts with `what` for another name.
Backend backend_named(std::string_view name, std::string_view what);

// How programs are compiled in addition to the knobs, as chosen by the innermost scope of this thread.
struct BuildOptions {
  std::string_view name = {};  // of the program, not part of its identity; empty: the place of its last operation
  compiler::Tuning tuning = compiler::Tuning::none;
  bool keeps_memory = false;
  std::uint64_t activation_bytes = 0;
};
const BuildOptions& build_options();

class BuildScope {
 public:
  // Without a backend, the current one stays.
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

// Returns the name that messages and profiles use for the program of the graph.
std::string program_name(const ir::Graph& graph);

// Throws Error for a graph that cannot be compiled. A backend that compiles sets `report`.
std::shared_ptr<const runtime::Executable> build(Backend backend, std::shared_ptr<const ir::Graph> graph,
                                                 std::vector<bool> donatable, std::optional<compiler::Report>& report);

// Returns an executable of one host thunk that interprets the graph: slowly, but reliably. If the graph is the program of each device
// of a mesh (`for_devices`), the thunk interprets it for all of them together.
std::shared_ptr<const runtime::Executable> interpreted(std::shared_ptr<const ir::Graph> graph,
                                                       const std::vector<bool>& donatable, bool for_devices = false);

}  // namespace weft::record
