#include <weft/compiler/passes/pipeline.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/compiler/passes/all.h>
#include <weft/ir/verify.h>

namespace weft::compiler {

namespace {

// Wraps a pass that is the same for all options, or for all but the target.
template <auto run>
constexpr auto for_all = [](const ir::Graph& graph, const Options&) { return run(graph); };
template <auto run>
constexpr auto for_target = [](const ir::Graph& graph, const Options& options) { return run(graph, *options.target); };

// A kernel adds in another order than the decomposition.
std::shared_ptr<ir::Graph> inline_composites_for(const ir::Graph& graph, const Options& options) {
  return options.strict ? inline_composites(graph) : inline_composites_without_kernel(graph, *options.target);
}

std::shared_ptr<ir::Graph> expand_windows_for(const ir::Graph& graph, const Options& options) {
  return expand_windows(graph, *options.target, options.strict);
}

constexpr Pass pass_table[] = {
    {"inline-composites", "replaces composites without a kernel by their decomposition", inline_composites_for},
    {"absorb-transposes", "lets products read the operands of transposes", for_all<absorb_transposes>},
    {"merge-loops", "replaces a loop by another one that computes the same and more", for_all<merge_loops>},
    {"expand-collectives", "replaces collectives by what they do with a single process", for_all<expand_collectives>,
     /*in_strict_mode=*/true, /*on_meshes=*/false},
    {"find-extremes",
     "replaces a fold of pairs that finds the place of the greatest or least element by two reductions",
     for_all<find_extremes>},
    {"expand-folds", "replaces folds of several tensors, and running folds, by elementwise steps, for GPUs",
     for_target<expand_folds>,
     /*in_strict_mode=*/false},
    {"expand-windows",
     "replaces reduce_window, and for GPUs select_and_scatter, with few elements in a window by elementwise ops",
     expand_windows_for},
    {"expand-convolutions",
     "replaces convolutions of each channel on its own by a sum of shifted products, and for GPUs others by a product",
     for_target<expand_convolutions>, /*in_strict_mode=*/false},
    {"expand-padding", "replaces padding between elements by reshapes and padding behind elements",
     for_all<expand_padding>},
    {"eliminate-dead-nodes", "removes nodes that no output needs and that have no effect",
     for_all<eliminate_dead_nodes>},
    {"simplify", "simplifies algebraic identities, neutral elements, and shape ops that undo each other",
     for_all<simplify>},
    {"fold-constants", "computes nodes whose operands are constants", for_all<fold_constants>},
    {"place-windows", "replaces gather and scatter of a single window by slices, padding and updates",
     for_all<place_windows>},
    {"expand-scatters", "replaces scatters by scatters of rows, for GPUs", for_target<expand_scatters>},
    {"hoist-invariants", "computes what a loop repeats without changes once, before the loop",
     for_all<hoist_invariants>},
    {"pick-elements", "replaces a sum in which an index picks one element of each row by that element, for GPUs",
     for_target<pick_elements>},
    {"replace-tanh", "replaces 1 + tanh(x) by 2 logistic(2 x), for GPUs", for_target<replace_tanh>,
     /*in_strict_mode=*/false},
    {"eliminate-common-subexpressions", "computes equal nodes once", for_all<eliminate_common_subexpressions>},
    {"expand-small-dots",
     "replaces dot_general by multiply and reduce if it is too small for a library call, or an outer product",
     for_target<expand_small_dots>, /*in_strict_mode=*/false},
    {"turn-dots", "replaces a transposed dot_general by one with swapped operands", for_all<turn_dots>,
     /*in_strict_mode=*/false},
    {"order-dot-operands", "transposes operands of dot_general that a matrix product cannot read in place",
     for_all<order_dot_operands>},
    {"expand-dots", "replaces dot_general by multiply and reduce if the library lacks its element types",
     for_target<expand_dots>},
    {"split-reductions", "splits reductions over mixed dimensions, or with too few results for the threads, into two",
     for_target<split_reductions>},
};

// Returns the whole table, followed by a second pass that removes dead nodes.
std::vector<const Pass*> pipeline() {
  std::vector<const Pass*> order;
  for (const Pass& pass : pass_table) order.push_back(&pass);
  order.push_back(find_pass("eliminate-dead-nodes"));
  return order;
}

}  // namespace

std::span<const Pass> passes() { return pass_table; }

const Pass* find_pass(std::string_view name) {
  const auto* found = std::ranges::find(pass_table, name, &Pass::name);
  return found == std::end(pass_table) ? nullptr : found;
}

std::set<std::string> disabled_passes() {
  std::set<std::string> names;
  std::istringstream list(knobs::disabled_passes());
  for (std::string name; std::getline(list, name, ',');) {
    if (name.empty()) continue;
    require(find_pass(name), "WEFT_DISABLED_PASSES: there is no pass named ", name);
    names.insert(name);
  }
  return names;
}

std::shared_ptr<const ir::Graph> run_pipeline(const ir::Graph& graph, const Options& options, Report& report,
                                              const SeeStage& see) {
  std::set<std::string> off = disabled_passes();
  for (const std::string& name : options.disabled_passes) {
    require(find_pass(name), "compile: there is no pass named ", name);
    off.insert(name);
  }
  std::shared_ptr<const ir::Graph> current(std::shared_ptr<const ir::Graph>(), &graph);
  if (see) see(graph, "input");
  for (const Pass* pass : pipeline()) {
    if (off.contains(std::string(pass->name)) || (options.strict && !pass->in_strict_mode)) continue;
    if (options.devices > 1 && !pass->on_meshes) continue;
    const auto start = std::chrono::steady_clock::now();
    const auto made = pass->run(*current, options);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const bool changed = made && made->fingerprint() != current->fingerprint();
    if (made) current = made;
    WEFT_LOG(passes, graph.name, ": ", pass->name, ": ", ms, " ms, ", current->nodes().size(), " nodes",
             changed ? "" : " (unchanged)");
    report.passes.push_back({std::string(pass->name), ms, changed});
    if (made && knobs::verify_passes()) ir::verify(*made);
    if (changed && see) see(*made, pass->name);
  }
  return current;
}

}  // namespace weft::compiler
