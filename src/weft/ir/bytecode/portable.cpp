#include <weft/ir/bytecode/portable.h>

#include <algorithm>
#include <vector>

#include <weft/ir/builder.h>
#include <weft/ir/legalize/chlo_special.h>
#include <weft/ir/ops.h>

namespace weft::ir::bytecode {

namespace {

bool has_erf(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node* node) {
    return node->op == &ops::erf || std::ranges::any_of(node->regions, [](const Graph* r) { return has_erf(*r); });
  });
}

// The narrow types are computed in f32.
std::shared_ptr<const Graph> decomposition(Type type) {
  const Type inputs[] = {type};
  return make_graph(inputs, [&](Graph&, std::span<const Value> x) {
    const bool is_wide = type.dtype() == DType::f32 || type.dtype() == DType::f64;
    const Value result = legalize::erf_by_arithmetic(is_wide ? x[0] : convert(x[0], DType::f32));
    return std::vector{is_wide ? result : convert(result, type.dtype())};
  });
}

// Every node becomes one node, so that their numbers stay, by which annotations refer to them.
std::shared_ptr<Graph> copied(const Graph& from) {
  auto to = std::make_shared<Graph>();
  std::vector<std::vector<Value>> values(from.nodes().size());
  const auto mapped = [&](std::span<const Value> of) {
    std::vector<Value> result;
    for (const Value v : of) result.push_back(values[v.node->id][v.index]);
    return result;
  };
  for (const Node* node : from.nodes()) {
    to->set_location(node->location);
    std::vector<Value>& results = values[node->id];
    const std::vector<Value> operands = mapped(node->operands);
    if (node->op == &ops::parameter) {
      results = {to->add_input(node->types[0])};
      continue;
    }
    if (node->op == &ops::erf) {
      results = composite(erf_composite, operands, decomposition(node->types[0]));
      continue;
    }
    std::vector<std::shared_ptr<const Graph>> regions;
    for (const Graph* region : node->regions) regions.push_back(copied(*region));
    Node& copy = regions.empty() ? to->append_copy(*node, operands)
                                 : to->append(*node->op, operands, node->attribute_data, node->types, regions);
    for (std::uint32_t i = 0; i < node->types.size(); ++i) results.push_back(copy.result(i));
  }
  to->set_outputs(mapped(from.outputs()));
  to->name = from.name;
  to->input_names = from.input_names;
  to->annotations = from.annotations;
  return to;
}

}  // namespace

std::shared_ptr<Graph> with_erf_as_composite(const Graph& graph) { return has_erf(graph) ? copied(graph) : nullptr; }

}  // namespace weft::ir::bytecode
