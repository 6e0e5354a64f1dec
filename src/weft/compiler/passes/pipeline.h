// Graph passes, by name. Each takes a graph and makes a new one of the same meaning, if it changes anything; the pipeline runs
// them in order, times them, verifies what they made in checked builds, and can be told to leave one out.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct Pass {
  std::string_view name;
  std::string_view summary;
  std::shared_ptr<ir::Graph> (*run)(const ir::Graph& graph, const Target& target);  // null: the graph stays as it is
  bool in_strict_mode =
      true;  // off: what it does depends on sizes, and strict results do not on whether they are known
};

// All passes, in the order in which the pipeline first runs them.
std::span<const Pass> passes();
const Pass* find_pass(std::string_view name);

// The graph after all passes that the options leave on; `see` is called with it before, as stage "input", and after each pass that
// changes it.
using SeeStage = std::function<void(const ir::Graph& graph, std::string_view stage)>;
std::shared_ptr<const ir::Graph> run_pipeline(const ir::Graph& graph, const Options& options, Report& report,
                                              const SeeStage& see = {});

}  // namespace weft::compiler
