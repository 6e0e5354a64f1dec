// Graph passes, by name. Each takes a graph and makes a new one of the same meaning if it changes anything. The pipeline runs the passes in
// order, times them, verifies their results in checked builds, and can leave passes out.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct Pass {
  std::string_view name;
  std::string_view summary;
  // returns null if the graph stays as it is
  std::shared_ptr<ir::Graph> (*run)(const ir::Graph& graph, const Options& options);
  // False for passes whose result depends on sizes: strict results must not depend on whether sizes are known.
  bool in_strict_mode = true;
  bool on_meshes = true;  // false for passes that assume a single device
};

// Returns all passes, in the order in which the pipeline first runs them.
std::span<const Pass> passes();
const Pass* find_pass(std::string_view name);

// Returns the names in WEFT_DISABLED_PASSES. Throws Error for a name that is no pass.
std::set<std::string> disabled_passes();

// Returns the graph after all passes that the options leave on. Calls `see` before the first pass, with stage "input", and after each pass
// that changes the graph.
using SeeStage = std::function<void(const ir::Graph& graph, std::string_view stage)>;
std::shared_ptr<const ir::Graph> run_pipeline(const ir::Graph& graph, const Options& options, Report& report,
                                              const SeeStage& see = {});

}  // namespace weft::compiler
