// The gradient of a checkpoint: it computes the checkpointed values again from the operands and differentiates them.
#include <algorithm>
#include <ranges>

#include <weft/ir/autodiff.h>
#include <weft/ir/composites.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/region_gradient.h>

namespace weft::ir {

namespace {

// Makes the cotangents and the computed operands available only together, by a barrier. Values computed from them are then
// neither computed early nor merged with values of the forward pass. Inputs of the graph are always available; they are held back
// only if all operands are inputs.
void hold_back(std::vector<Value>& values, std::size_t operands) {
  const auto is_input = [](Value v) { return v.node->op == &ops::parameter; };
  const bool all = std::ranges::all_of(values | std::views::take(operands), is_input);
  std::vector<Value*> held;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (all || i >= operands || !is_input(values[i])) held.push_back(&values[i]);
  std::vector<Value> before;
  for (const Value* value : held) before.push_back(*value);
  const std::vector<Value> after = optimization_barrier(before);
  for (std::size_t i = 0; i < held.size(); ++i) *held[i] = after[i];
}

}  // namespace

bool is_checkpoint(const Node& node) {
  return node.op == &ops::composite && node.attributes<CompositeAttributes>().name == checkpoint;
}

void checkpoint_gradient(const GradientCall& c) {
  const auto operands = c.node.operands;
  std::vector<std::size_t> first;  // by operand: the first operand that is the same value; equal operands share one sum
  for (const Value v : operands)
    first.push_back(static_cast<std::size_t>(std::ranges::find(operands, v) - operands.begin()));
  const std::vector<int> given = given_cotangents(c);
  std::vector<std::size_t> wanted, begun;  // indices of operands
  std::vector<Value> values(operands.begin(), operands.end()), sums;
  for (const int i : given) values.push_back(c.dy(i));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Value& sum = c.operand_cotangents[i];
    if (c.needs(i) && first[i] == i) {
      wanted.push_back(i);
      if (sum) {
        begun.push_back(i);
        sums.push_back(sum);
      }
    }
    sum = {};
  }
  std::vector<Type> types;
  for (const Value v : values) types.push_back(v.type());
  for (const Value v : sums) types.push_back(v.type());
  const auto inner = make_graph(types, [&](Graph& graph, std::span<const Value> inputs) {
    std::vector<Value> captures, ys, xs;
    for (const std::size_t i : first) captures.push_back(inputs[i]);
    const std::vector<Value> outputs = compute_again(graph, *c.node.regions[0], captures);
    for (const int i : given) ys.push_back(outputs[i]);
    for (const std::size_t i : begun) ys.push_back(inputs[i]);
    for (const std::size_t i : wanted) xs.push_back(inputs[i]);
    return gradient(graph, ys, inputs.subspan(operands.size()), xs);
  });
  hold_back(values, operands.size());
  values.insert(values.end(), sums.begin(), sums.end());
  Inliner inliner(*c.node.graph, *inner);
  for (std::size_t i = 0; i < values.size(); ++i) inliner.substitute(inner->inputs()[i], values[i]);
  const std::vector<Value> cotangents = inliner.copy(inner->outputs());
  for (std::size_t i = 0; i < wanted.size(); ++i) c.add(wanted[i], cotangents[i]);
}

}  // namespace weft::ir
