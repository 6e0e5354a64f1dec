// Graph to Executable, by the backend that the knobs choose.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::detail {

enum class Backend : std::uint8_t {
  compiled,
  eager,  // compiled with one kernel for each operation as it was recorded
  interpreter,
};
Backend backend();  // from the knobs, or as the innermost scope of this thread says

class BackendScope {
 public:
  explicit BackendScope(Backend backend);
  ~BackendScope();
  BackendScope(const BackendScope&) = delete;
  BackendScope& operator=(const BackendScope&) = delete;

 private:
  std::optional<Backend> before_;
};

// Throws Error for what cannot be compiled. `report` is set by a backend that compiles.
std::shared_ptr<const runtime::Executable> build(Backend backend, std::shared_ptr<const ir::Graph> graph,
                                                 std::vector<bool> donatable, std::optional<compiler::Report>& report);

// One host thunk that interprets the graph: slow, and right.
std::shared_ptr<const runtime::Executable> interpreted(std::shared_ptr<const ir::Graph> graph,
                                                       const std::vector<bool>& donatable);

}  // namespace weft::detail
