#include <weft/compiler/tuning/autotune.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <weft/compiler/passes/all.h>
#include <weft/compiler/plan/fuse.h>
#include <weft/compiler/plan/placement.h>
#include <weft/compiler/thunks/region.h>
#include <weft/compiler/tuning/alternatives.h>
#include <weft/compiler/tuning/trials.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

namespace {

// A part of the graph that can be computed in several ways: what it reads and makes, and the node that has the alternatives.
struct Site {
  const Node* node;
  std::vector<Value> reads, makes;
  std::vector<Alternative> alternatives;
};

std::vector<Site> find_sites(const ir::Graph& graph, const Options& options, const UnitMaker& maker) {
  std::vector<Site> sites;
  const Placement placement(graph, options, maker);
  for (const Node* n : graph.nodes()) {
    const Matmul* product = placement.matmul(*n);
    if (!product || !product->dot->type().is_static() || product->dot->type().elements() == 0) continue;
    Site site{product->dot, {product->lhs.base, product->rhs.base}, {product->epilogue.result}, {}};
    for (const EpilogueStep& step : product->epilogue.steps)
      if (step.operand.base) site.reads.push_back(step.operand.base);
    if (!is_known(site.reads) || !is_known(site.makes)) continue;
    site.alternatives = alternatives_of_product(*product->dot, !product->epilogue.steps.empty(), options.tuning);
    sites.push_back(std::move(site));
  }
  if (options.tuning != Tuning::all) return sites;
  Report ignored;
  for (const Unit& unit : fuse(graph, options, maker, ignored)) {
    if (!unit.kernels() || !is_known(unit.reads) || !is_known(unit.writes)) continue;
    // The unit's nodes are those between what it writes and what it reads.
    std::vector<Value> stack = unit.writes;
    std::unordered_set<const Node*> seen;
    while (!stack.empty()) {
      const Value v = stack.back();
      stack.pop_back();
      if (!seen.insert(v.node).second) continue;
      if (v.node->op->kind == ir::Kind::reduction && v.node->operand(0).node->op->kind == ir::Kind::elementwise)
        sites.push_back({v.node, unit.reads, unit.writes, {Alternative::standard, Alternative::apart}});
      for (const Value o : v.node->operands)
        if (std::ranges::find(unit.reads, o) == unit.reads.end()) stack.push_back(o);
    }
  }
  return sites;
}

// A site as a graph of its own, with the place of its deciding node.
struct Extract {
  std::shared_ptr<const ir::Graph> graph;
  const Node* node = nullptr;
};

Extract extract(const ir::Graph& graph, const Site& site) {
  Extract result;
  std::vector<Value> reads;
  for (const Value v : site.reads)
    if (std::ranges::find(reads, v) == reads.end()) reads.push_back(v);
  std::vector<Type> types;
  for (const Value v : reads) types.push_back(v.type());
  result.graph = ir::make_graph(types, [&](ir::Graph& into, std::span<const Value> inputs) {
    ir::Inliner inliner(into, graph);
    for (std::size_t i = 0; i < inputs.size(); ++i) inliner.substitute(reads[i], inputs[i]);
    const std::vector<Value> makes = inliner.copy(site.makes);
    const Value decided{const_cast<Node*>(site.node), 0};
    result.node = inliner.copy(std::span(&decided, 1))[0].node;
    return makes;
  });
  return result;
}

// A part compiled in one way, to be run repeatedly.
class Part {
 public:
  Part(std::shared_ptr<const ir::Graph> graph, const Options& given, const NestedCompiler& nested)
      : graph_(std::move(graph)), program_(compiled(*graph_, given, nested)) {
    for (const Value v : graph_->inputs()) inputs_.push_back(memory_.filled(v.type()));
    for (const Value v : graph_->outputs()) outputs_.push_back(memory_.filled(v.type()));
    temporaries_ = memory_.allocate(program_.temporary_bytes());
  }

  void run() { program_.run({}, {inputs_, outputs_, temporaries_}); }

 private:
  static Region compiled(const ir::Graph& graph, Options options, const NestedCompiler& nested) {
    options.tuning = Tuning::none;
    options.keeps_memory = false;
    options.activation_bytes = 0;
    options.donatable = {};
    options.observer = nullptr;
    Report report;
    return Region(nested.compile(graph, options, report));
  }

  std::shared_ptr<const ir::Graph> graph_;
  Region program_;
  TrialMemory memory_;
  std::vector<std::byte*> inputs_, outputs_;
  std::byte* temporaries_ = nullptr;
};

}  // namespace

std::shared_ptr<const ir::Graph> autotune(std::shared_ptr<const ir::Graph> graph, const Options& options,
                                          const ThunkMaker& maker, Report& report) {
  std::unordered_map<const Node*, Alternative> chosen;
  std::unordered_set<std::string> told;
  for (const Site& site : find_sites(*graph, options, maker)) {
    if (site.alternatives.size() < 2 || chosen.contains(site.node)) continue;
    const Extract part = extract(*graph, site);
    std::vector<Trial> trials;
    for (const Alternative alternative : site.alternatives)
      trials.push_back({name(alternative), [&, alternative] {
                          const auto alternative_of = [&](const Node& n) {
                            return &n == part.node ? alternative : Alternative::standard;
                          };
                          return [done = std::make_shared<Part>(apply(*part.graph, alternative_of), options,
                                                                maker.nested())] { done->run(); };
                        }});
    const std::string what = ir::print(*part.graph, {.locations = false});
    const Choice choice = fastest(what, trials);
    chosen[site.node] = *find_alternative(choice.name);
    if (!told.insert(what).second) continue;
    tell(graph->name, concat(site.node->op->name, ' ', site.node->operand(0).type(), " -> ", site.node->type()), choice,
         report);
  }
  if (std::ranges::all_of(chosen, [](const auto& entry) { return entry.second == Alternative::standard; }))
    return graph;
  const auto alternative_of = [&](const Node& n) {
    const auto found = chosen.find(&n);
    return found == chosen.end() ? Alternative::standard : found->second;
  };
  const auto applied = apply(*graph, alternative_of);
  const auto split = split_reductions(*applied, *options.target);
  return split ? split : applied;
}

}  // namespace weft::compiler
