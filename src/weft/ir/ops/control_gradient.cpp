// Gradients of control ops, made from the gradients of their regions.
#include <algorithm>

#include <weft/ir/autodiff.h>
#include <weft/ir/composites.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/region_gradient.h>

namespace weft::ir {

RegionGradient region_gradient(const Graph& region, std::span<const int> given, std::span<const int> wanted) {
  RegionGradient result;
  std::vector<Type> inputs;
  for (const Value v : region.inputs()) inputs.push_back(v.type());
  for (const int i : given) inputs.push_back(region.outputs()[i].type());
  result.graph = make_graph(inputs, [&](Graph& graph, std::span<const Value> values) {
    const auto captures = values.first(region.inputs().size()), cotangents = values.subspan(captures.size());
    result.outputs = compute_again(graph, region, captures);
    result.forward = graph.nodes().size();
    std::vector<Value> ys, xs;
    for (const int i : given) ys.push_back(result.outputs[i]);
    for (const int i : wanted) xs.push_back(captures[i]);
    return gradient(graph, ys, cotangents, xs);
  });
  return result;
}

std::vector<int> given_cotangents(const GradientCall& c) {
  std::vector<int> given;
  for (std::size_t i = 0; i < c.cotangents.size(); ++i)
    if (c.cotangents[i]) given.push_back(i);
  return given;
}

namespace {

// Returns which of the operands from `first` on need a cotangent, counted from `first`.
std::vector<int> wanted_cotangents(const GradientCall& c, int first) {
  std::vector<int> wanted;
  for (int i = first; i < std::ssize(c.node.operands); ++i)
    if (c.needs(i)) wanted.push_back(i - first);
  return wanted;
}

}  // namespace

// Makes the same choice between the gradients of the branches; each gradient computes its branch again.
void branches_gradient(const GradientCall& c) {
  const std::vector<int> given = given_cotangents(c), wanted = wanted_cotangents(c, 1);
  std::vector<std::shared_ptr<const Graph>> branches;
  for (const Graph* region : c.node.regions) branches.push_back(region_gradient(*region, given, wanted).graph);
  std::vector<Value> operands(c.node.operands.begin(), c.node.operands.end());
  for (const int i : given) operands.push_back(c.dy(i));
  Node& node = c.node.graph->append(*c.node.op, operands, nullptr, {}, branches);
  for (std::size_t i = 0; i < wanted.size(); ++i) c.add(wanted[i] + 1, node.result(i));
}

void gradient_of_decomposition(const GradientCall& c) {
  const std::vector<int> given = given_cotangents(c), wanted = wanted_cotangents(c, 0);
  const RegionGradient inner = region_gradient(*c.node.regions[0], given, wanted);
  Inliner inliner(*c.node.graph, *inner.graph);
  std::vector<Value> values(c.node.operands.begin(), c.node.operands.end());
  for (const int i : given) values.push_back(c.dy(i));
  for (std::size_t i = 0; i < inner.outputs.size(); ++i) inliner.substitute(inner.outputs[i], c.y(i));
  for (std::size_t i = 0; i < values.size(); ++i) inliner.substitute(inner.graph->inputs()[i], values[i]);
  const std::vector<Value> cotangents = inliner.copy(inner.graph->outputs());
  for (std::size_t i = 0; i < wanted.size(); ++i) c.add(wanted[i], cotangents[i]);
}

// Uses the gradient that is registered for the composite's name, or else that of the decomposition.
void composite_gradient(const GradientCall& c) {
  const Composite* known = find_composite(c.node.attributes<CompositeAttributes>().name);
  if (is_checkpoint(c.node)) return checkpoint_gradient(c);
  const bool only_first = std::ranges::none_of(c.cotangents.subspan(1), [](Value v) { return static_cast<bool>(v); });
  known && (only_first || known->of_all_results) ? known->gradient(c) : gradient_of_decomposition(c);
}

}  // namespace weft::ir
