#include <weft/record/backend.h>

#include <ranges>
#include <utility>

#include <weft/base/knobs.h>
#include <weft/record/compiler_options.h>
#include <weft/record/session.h>
#include <weft/record/sync.h>

namespace weft::record {

BackendScope::BackendScope(Backend backend) : before_(std::exchange(session.backend, backend)) {}
BackendScope::~BackendScope() { session.backend = before_; }

Backend backend() {
  if (const auto chosen = session.backend) return *chosen;
  return backend_named(knobs::backend(), "WEFT_BACKEND");
}

Backend backend_named(std::string_view name, std::string_view what) {
  if (name == "compiled" || name == "standard") return Backend::compiled;
  if (name == "eager") return Backend::eager;
  require(name == "interpreter", what, ": '", name,
          "' is not a backend: use compiled (or standard), eager or interpreter");
  return Backend::interpreter;
}

const BuildOptions& build_options() { return session.build_options; }

BuildScope::BuildScope(std::optional<Backend> backend, const BuildOptions& options)
    : backend_before_(session.backend), options_before_(std::exchange(session.build_options, options)) {
  if (backend) session.backend = backend;
}
BuildScope::~BuildScope() {
  session.backend = backend_before_;
  session.build_options = options_before_;
}

std::string program_name(const ir::Graph& graph) {
  if (const auto name = build_options().name; !name.empty()) return std::string(name);
  for (const ir::Node* node : graph.nodes() | std::views::reverse) {
    if (node->location.line == 0) continue;
    const std::string_view file = node->location.file;
    return concat("sync at ", file.substr(file.rfind('/') + 1), ':', node->location.line);
  }
  return "sync";
}

compiler::Options compiler_options(const ir::Graph& graph, Backend backend, std::vector<bool> donatable) {
  auto options = compiler::Options::from_knobs();
  options.target = &compiler::Target::named(device().target());
  options.name = program_name(graph);
  options.donatable = std::move(donatable);
  options.tuning = build_options().tuning;
  options.keeps_memory = build_options().keeps_memory;
  options.activation_bytes = build_options().activation_bytes;
  if (backend == Backend::eager) {
    options.fuse = false;
    options.disabled_passes = {"simplify", "fold-constants", "eliminate-common-subexpressions"};
  }
  return options;
}

std::shared_ptr<const runtime::Executable> build(Backend backend, std::shared_ptr<const ir::Graph> graph,
                                                 std::vector<bool> donatable, std::optional<compiler::Report>& report) {
  if (backend == Backend::interpreter) return interpreted(std::move(graph), donatable);
  compiler::Report made;
  auto executable = compiler::compile(*graph, compiler_options(*graph, backend, std::move(donatable)), &made);
  report = std::move(made);
  return executable;
}

}  // namespace weft::record
