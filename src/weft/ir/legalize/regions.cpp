#include <weft/ir/legalize/regions.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <weft/ir/annotations.h>
#include <weft/ir/builder.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::ir::legalize {

std::shared_ptr<const Graph> shared_body(std::shared_ptr<const Graph> graph) {
  const Op* op = reduction_op(*graph);
  if (!op) return graph;
  const DType dtype = graph->inputs()[0].dtype();
  const Type scalar(dtype, {});
  if (graph->inputs()[0].type() != scalar || graph->outputs()[0].type() != scalar) return graph;
  auto shared = reduction_body(*op, dtype);
  return structurally_equal(*graph, *shared) ? shared : graph;
}

std::shared_ptr<const Graph> part_of_region(const Graph& region) {
  const auto inputs = region.inputs();
  if (region.outputs().size() != 2 || inputs.size() % 2 != 0 || inputs.empty()) return nullptr;
  std::vector<int> parts(region.nodes().size());  // by node id: the parts on which it depends, 1 real and 2 imaginary
  for (std::size_t i = 0; i < inputs.size(); ++i) parts[inputs[i].node->id] = i % 2 == 0 ? 1 : 2;
  for (const Node* node : region.nodes())
    for (const Value v : node->operands) parts[node->id] |= parts[v.node->id];
  std::shared_ptr<const Graph> of_part[2];
  std::vector<Type> types;
  for (std::size_t i = 0; i < inputs.size(); i += 2) types.push_back(inputs[i].type());
  for (std::size_t part = 0; part < 2; ++part) {
    if ((parts[region.outputs()[part].node->id] & (part == 0 ? 2 : 1)) != 0) return nullptr;
    of_part[part] = make_graph(types, [&](Graph& graph, std::span<const Value> arguments) {
      Inliner inliner(graph, region);
      for (std::size_t i = 0; i < arguments.size(); ++i) inliner.substitute(inputs[2 * i + part], arguments[i]);
      return inliner.copy(region.outputs().subspan(part, 1));
    });
  }
  return structurally_equal(*of_part[0], *of_part[1]) ? of_part[0] : nullptr;
}

std::vector<std::size_t> used_inputs(std::span<const std::shared_ptr<const Graph>> branches) {
  std::vector<std::size_t> used;
  for (const auto& branch : branches) {
    const auto use = [&](Value v) {
      if (v.node->op != &ops::parameter) return;
      const std::size_t input = v.node->attributes<ParameterAttributes>().index;
      if (std::ranges::find(used, input) == used.end()) used.push_back(input);
    };
    for (const Node* node : branch->nodes()) std::ranges::for_each(node->operands, use);
    std::ranges::for_each(branch->outputs(), use);
  }
  return used;
}

std::shared_ptr<const Graph> with_inputs(const Graph& from, std::span<const std::size_t> chosen) {
  auto graph = std::make_shared<Graph>();
  std::unordered_map<const Node*, Node*> copies;
  std::unordered_map<std::uint32_t, Annotations> said;
  for (const std::size_t i : chosen) copies[from.inputs()[i].node] = graph->add_input(from.inputs()[i].type()).node;
  const auto copy_of = [&](Value v) { return copies.at(v.node)->result(v.index); };
  std::vector<Value> operands;
  for (const Node* node : from.nodes()) {
    if (node->op == &ops::parameter) continue;
    operands.clear();
    std::ranges::transform(node->operands, std::back_inserter(operands), copy_of);
    Node& copy = graph->append_copy(*node, operands);
    copies[node] = &copy;
    if (!from.annotations) continue;
    if (const auto known = from.annotations->nodes.find(node->id); known != from.annotations->nodes.end())
      said.emplace(copy.id, known->second);
  }
  std::vector<Value> outputs;
  std::ranges::transform(from.outputs(), std::back_inserter(outputs), copy_of);
  graph->set_outputs(std::move(outputs));
  if (!said.empty())
    graph->annotations = std::make_shared<FunctionAnnotations>(FunctionAnnotations{.nodes = std::move(said)});
  return graph;
}

}  // namespace weft::ir::legalize
