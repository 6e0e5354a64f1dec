#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Graph;
using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

// Returns the region with only its first `inputs` inputs and `outputs` outputs; null if these outputs need more inputs.
std::shared_ptr<const Graph> restricted(const Graph& region, std::size_t inputs, std::size_t outputs) {
  std::vector<Value> stack(region.outputs().begin(), region.outputs().begin() + outputs);
  std::unordered_set<const Node*> seen;
  while (!stack.empty()) {
    const Node* n = stack.back().node;
    stack.pop_back();
    if (!seen.insert(n).second) continue;
    if (ir::has_side_effect(*n)) return nullptr;
    const auto* parameter = n->attributes_if<ir::ParameterAttributes>();
    if (parameter && std::cmp_greater_equal(parameter->index, inputs)) return nullptr;
    stack.insert(stack.end(), n->operands.begin(), n->operands.end());
  }
  std::vector<Type> types;
  for (const Value v : region.inputs().first(inputs)) types.push_back(v.type());
  return ir::make_graph(types, [&](Graph& into, std::span<const Value> values) {
    ir::Inliner inliner(into, region);
    for (std::size_t i = 0; i < inputs; ++i) inliner.substitute(region.inputs()[i], values[i]);
    return inliner.copy(region.outputs().first(outputs));
  });
}

// Returns whether `larger` computes everything that `loop` computes, on the same values, and more.
bool extends(const Node& larger, const Node& loop) {
  const std::size_t count = loop.operands.size();
  if (larger.operands.size() <= count || !std::ranges::equal(larger.operands.first(count), loop.operands)) return false;
  for (const Value v : larger.operands.subspan(count))
    if (!ir::literal_of(v)) return false;
  const auto same = [&](int region, std::size_t outputs) {
    const auto a = restricted(*larger.regions[region], count, outputs);
    const auto b = restricted(*loop.regions[region], count, outputs);
    return a && b && ir::structurally_equal(*a, *b);
  };
  return same(0, 1) && same(1, count);
}

}  // namespace

std::shared_ptr<Graph> merge_loops(const Graph& graph) {
  std::unordered_map<const Node*, const Node*> larger;  // by the loop that it replaces
  std::vector<const Node*> loops;
  for (const Node* n : graph.nodes()) {
    if (n->op->flow != ir::Flow::loop) continue;
    for (const Node* before : loops)
      if (!larger.contains(before) && extends(*n, *before)) larger[before] = n;
    loops.push_back(n);
  }
  if (larger.empty()) return nullptr;
  Rewriter rewriter(graph);
  std::unordered_map<const Node*, Node*> made;
  return rewriter.run([&](const Node& n, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    const auto results = [](Node& node, std::size_t count) {
      std::vector<Value> values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(node.result(i));
      return values;
    };
    if (const auto at = made.find(&n); at != made.end()) return results(*at->second, n.types.size());
    const auto found = larger.find(&n);
    if (found == larger.end()) return std::nullopt;
    std::vector<Value> all(operands.begin(), operands.end());
    for (const Value v : found->second->operands.subspan(operands.size()))
      all.push_back(rewriter.graph().append_copy(*v.node, {}).result(v.index));
    Node& merged = rewriter.graph().append_copy(*found->second, all);
    made[found->second] = &merged;
    return results(merged, n.types.size());
  });
}

}  // namespace weft::compiler
