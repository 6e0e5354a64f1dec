#include <weft/ir/forward.h>

#include <algorithm>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/host_function.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/region_gradient.h>

namespace weft::ir {

namespace {

std::vector<bool> have_tangents(std::span<const Dual> duals) {
  std::vector<bool> have;
  for (const Dual& dual : duals) have.push_back(static_cast<bool>(dual.tangent));
  return have;
}

// A region that takes and returns values, then the tangents of some of them.
struct DualRegion {
  std::shared_ptr<const Graph> graph;
  std::vector<bool> have_tangents;  // which outputs
};

// `wanted`: which outputs get tangents even if these are zero; empty: none.
DualRegion dual_region(const Graph& region, const std::vector<bool>& inputs, const std::vector<bool>& wanted) {
  std::vector<Type> types = types_of(region.inputs());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i]) types.push_back(types[i]);
  DualRegion result;
  result.graph = make_graph(types, [&](Graph& graph, std::span<const Value> values) {
    std::vector<Dual> duals;
    std::size_t next = inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) duals.push_back({values[i], inputs[i] ? values[next++] : Value()});
    std::vector<Value> outputs, tangents;
    for (const Dual& output : forward(graph, region, duals)) {
      const bool has_tangent = output.tangent || (!wanted.empty() && wanted[outputs.size()]);
      result.have_tangents.push_back(has_tangent);
      outputs.push_back(output.value);
      if (has_tangent) tangents.push_back(output.tangent ? output.tangent : constant_like(output.value, 0));
    }
    outputs.insert(outputs.end(), tangents.begin(), tangents.end());
    return outputs;
  });
  return result;
}

// Returns the values, then the tangents of those that are wanted.
std::vector<Value> flattened(std::span<const Dual> duals, const std::vector<bool>& wanted) {
  std::vector<Value> values;
  for (const Dual& dual : duals) values.push_back(dual.value);
  for (std::size_t i = 0; i < duals.size(); ++i)
    if (wanted[i]) values.push_back(duals[i].tangent ? duals[i].tangent : constant_like(duals[i].value, 0));
  return values;
}

std::vector<Dual> duals_of(std::span<const Value> results, const std::vector<bool>& have_tangents) {
  std::vector<Dual> duals;
  std::size_t next = have_tangents.size();
  for (std::size_t i = 0; i < have_tangents.size(); ++i)
    duals.push_back({results[i], have_tangents[i] ? results[next++] : Value()});
  return duals;
}

std::vector<Dual> dual_loop(const Node& node, std::span<const Dual> operands) {
  std::vector<bool> carried = have_tangents(operands);
  for (bool grows = true; grows;) {  // a value may get a tangent in a later step
    const std::vector<bool> next = dual_region(*node.regions[1], carried, {}).have_tangents;
    grows = false;
    for (std::size_t i = 0; i < next.size(); ++i) {
      grows = grows || (next[i] && !carried[i]);
      carried[i] = carried[i] || next[i];
    }
  }
  const auto body = dual_region(*node.regions[1], carried, carried).graph;
  const std::vector<Value> first = flattened(operands, carried);
  const auto condition = make_graph(types_of(first), [&](Graph& graph, std::span<const Value> values) {
    return inline_graph(graph, *node.regions[0], values.first(carried.size()));
  });
  return duals_of(while_(first, condition, body), carried);
}

std::vector<Dual> dual_branches(Graph& into, const Node& node, std::span<const Dual> operands) {
  const std::span<const Dual> captures = operands.subspan(1);
  const std::vector<bool> inputs = have_tangents(captures);
  std::vector<bool> outputs(node.types.size());
  for (const Graph* branch : node.regions) {
    const std::vector<bool> of_branch = dual_region(*branch, inputs, {}).have_tangents;
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = outputs[i] || of_branch[i];
  }
  std::vector<std::shared_ptr<const Graph>> branches;
  for (const Graph* branch : node.regions) branches.push_back(dual_region(*branch, inputs, outputs).graph);
  std::vector<Value> values = flattened(captures, inputs);
  values.insert(values.begin(), operands[0].value);
  Node& made = into.append(*node.op, values, nullptr, {}, branches);
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < made.types.size(); ++i) results.push_back(made.result(i));
  return duals_of(results, outputs);
}

// The transpose of the node's gradient: as the gradient is linear in the cotangents, its own gradient by them is the derivative along the
// operands' tangents, whatever the cotangents are.
std::vector<Dual> linearized(Graph& into, const Node& node, std::span<const Dual> operands) {
  std::vector<Value> values;
  for (const Dual& operand : operands) values.push_back(operand.value);
  Node& copy = into.append_copy(node, values);
  std::vector<Dual> results;
  std::vector<int> floats;  // results that have tangents
  for (std::uint32_t i = 0; i < copy.types.size(); ++i) {
    results.push_back({copy.result(i)});
    if (is_float(copy.types[i].dtype())) floats.push_back(static_cast<int>(i));
  }
  std::vector<Type> types = types_of(values);
  for (const Dual& operand : operands)
    if (operand.tangent) types.push_back(operand.tangent.type());
  std::vector<Value> ys;
  const auto inner = make_graph(types, [&](Graph& graph, std::span<const Value> inputs) {
    Node& one = graph.append_copy(node, inputs.first(operands.size()));
    std::vector<Value> xs, tangents, cotangents;
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].tangent) xs.push_back(inputs[i]);
    tangents.assign(inputs.begin() + static_cast<std::ptrdiff_t>(operands.size()), inputs.end());
    for (const int i : floats) {
      ys.push_back(one.result(i));
      cotangents.push_back(constant_like(ys.back(), 1));
    }
    return gradient(graph, gradient(graph, ys, cotangents, xs), tangents, cotangents);
  });
  Inliner inliner(into, *inner);
  for (std::size_t i = 0; i < floats.size(); ++i) inliner.substitute(ys[i], results[floats[i]].value);
  for (const Dual& operand : operands)
    if (operand.tangent) values.push_back(operand.tangent);
  for (std::size_t i = 0; i < values.size(); ++i) inliner.substitute(inner->inputs()[i], values[i]);
  const std::vector<Value> tangents = inliner.copy(inner->outputs());
  for (std::size_t i = 0; i < floats.size(); ++i)
    if (!is_zero(tangents[i])) results[floats[i]].tangent = tangents[i];
  return results;
}

// Returns the rule that a user's function gives for its tangents; null if there is none.
const HostFunction* forward_rule(const Node& node) {
  if (node.op != &ops::custom_call) return nullptr;
  const HostFunction* const function = find_host_function(node.attributes<CustomCallAttributes>().target);
  return function ? function->forward() : nullptr;
}

std::vector<Dual> dual_host_call(Graph& into, const Node& node, std::span<const Dual> operands,
                                 const HostFunction& rule) {
  std::vector<Value> values;
  for (const Dual& operand : operands) values.push_back(operand.value);
  Node& copy = into.append_copy(node, values);
  std::vector<Dual> results;
  std::vector<Type> types;
  for (std::uint32_t i = 0; i < copy.types.size(); ++i) {
    results.push_back({copy.result(i)});
    values.push_back(copy.result(i));
    if (is_float(copy.types[i].dtype())) types.push_back(copy.types[i]);
  }
  for (const Dual& operand : operands)
    if (is_float(operand.value.dtype()))
      values.push_back(operand.tangent ? operand.tangent : constant_like(operand.value, 0));
  const CustomCallAttributes attributes{.target = rule.name()};
  Node& made = into.append(ops::custom_call, values, &attributes, types);
  std::uint32_t next = 0;
  for (Dual& result : results)
    if (is_float(result.value.dtype())) result.tangent = made.result(next++);
  return results;
}

std::vector<Dual> dual_call(Graph& into, const Node& node, std::span<const Dual> operands) {
  const std::string_view name = node.attributes<CompositeAttributes>().name;
  if (is_checkpoint(node)) {
    const std::vector<bool> inputs = have_tangents(operands);
    const DualRegion region = dual_region(*node.regions[0], inputs, {});
    return duals_of(composite(name, flattened(operands, inputs), region.graph), region.have_tangents);
  }
  const Composite* const known = find_composite(name);
  return known && !known->all_lead ? linearized(into, node, operands) : forward(into, *node.regions[0], operands);
}

std::vector<Dual> duals_of_node(Graph& into, const Node& node, std::span<const Dual> operands) {
  const bool has_tangent = std::ranges::any_of(operands, [](const Dual& x) { return static_cast<bool>(x.tangent); });
  if (has_tangent && passes_derivatives(node)) {
    if (const HostFunction* const rule = forward_rule(node)) return dual_host_call(into, node, operands, *rule);
    switch (node.op->flow) {
      case Flow::loop: return dual_loop(node, operands);
      case Flow::branches: return dual_branches(into, node, operands);
      case Flow::call: return dual_call(into, node, operands);
      default: return linearized(into, node, operands);
    }
  }
  std::vector<Value> values;
  for (const Dual& operand : operands) values.push_back(operand.value);
  Node& copy = into.append_copy(node, values);
  std::vector<Dual> results;
  for (std::uint32_t i = 0; i < copy.types.size(); ++i) results.push_back({copy.result(i)});
  return results;
}

}  // namespace

std::vector<Dual> forward(Graph& into, const Graph& from, std::span<const Dual> inputs) {
  std::vector<std::vector<Dual>> duals(from.nodes().size());  // by node id: its results
  const auto dual_of = [&](Value v) { return duals[v.node->id][v.index]; };
  for (std::size_t i = 0; i < inputs.size(); ++i) duals[from.inputs()[i].node->id] = {inputs[i]};
  const Location location = into.location();
  for (const Node* node : needed_nodes(from)) {
    std::vector<Dual> operands;
    for (const Value v : node->operands) operands.push_back(dual_of(v));
    into.set_location(node->location);
    duals[node->id] = duals_of_node(into, *node, operands);
  }
  into.set_location(location);
  std::vector<Dual> outputs;
  for (const Value v : from.outputs()) outputs.push_back(dual_of(v));
  return outputs;
}

}  // namespace weft::ir
