#include <weft/tensor/backend.h>

#include <utility>

#include <weft/base/knobs.h>

namespace weft::detail {

namespace {
constinit thread_local std::optional<Backend> chosen;
}

BackendScope::BackendScope(Backend backend) : before_(std::exchange(chosen, backend)) {}
BackendScope::~BackendScope() { chosen = before_; }

Backend backend() {
  if (chosen) return *chosen;
  const std::string name = knobs::backend();
  if (name == "compiled") return Backend::compiled;
  if (name == "eager") return Backend::eager;
  require(name == "interpreter", "WEFT_BACKEND: '", name, "' is neither compiled, eager nor interpreter");
  return Backend::interpreter;
}

std::shared_ptr<const runtime::Executable> build(Backend backend, std::shared_ptr<const ir::Graph> graph,
                                                 std::vector<bool> donatable, std::optional<compiler::Report>& report) {
  if (backend == Backend::interpreter) return interpreted(std::move(graph), donatable);
  auto options = compiler::Options::from_knobs();
  options.donatable = std::move(donatable);
  if (backend == Backend::eager) {
    options.fuse = false;
    options.disabled_passes = {"simplify", "fold-constants", "eliminate-common-subexpressions"};
  }
  compiler::Report made;
  auto executable = compiler::compile(*graph, options, &made);
  report = std::move(made);
  return executable;
}

}  // namespace weft::detail
