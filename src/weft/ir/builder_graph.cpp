// Making graphs from functions, and putting one graph into another.
#include <weft/ir/builder.h>
#include <weft/ir/op.h>

namespace weft::ir {

std::shared_ptr<const Graph> make_graph(std::span<const Type> inputs,
                                        const std::function<std::vector<Value>(Graph&, std::span<const Value>)>& body) {
  auto graph = std::make_shared<Graph>();
  for (const Type type : inputs) graph->add_input(type);
  const std::vector<Value> values(graph->inputs().begin(), graph->inputs().end());
  graph->set_outputs(body(*graph, values));
  return graph;
}

std::vector<Value> inline_graph(Graph& into, const Graph& from, std::span<const Value> inputs) {
  require(inputs.size() == from.inputs().size(), "inline_graph: ", from.name, " takes ", from.inputs().size(),
          " inputs, got ", inputs.size());
  std::vector<char> live(from.nodes().size());
  for (const Value v : from.outputs()) live[v.node->id] = 1;
  for (std::size_t id = live.size(); id-- > 0;)
    if (live[id])
      for (const Value v : from.nodes()[id]->operands) live[v.node->id] = 1;

  std::vector<Node*> copies(live.size());
  const auto copy_of = [&](Value v) { return Value{copies[v.node->id], v.index}; };
  std::vector<Value> substitutes(live.size());  // by node id, of inputs
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value input = from.inputs()[i];
    require(inputs[i].type() == input.type(), "inline_graph: input ", i, " of ", from.name, " is ", input.type(),
            ", got ", inputs[i].type());
    substitutes[input.node->id] = inputs[i];
  }
  const auto value_of = [&](Value v) { return substitutes[v.node->id] ? substitutes[v.node->id] : copy_of(v); };

  std::vector<Value> operands;
  for (const Node* node : from.nodes()) {
    if (!live[node->id] || substitutes[node->id]) continue;
    operands.clear();
    for (const Value v : node->operands) operands.push_back(value_of(v));
    copies[node->id] = &into.append_copy(*node, operands);
    copies[node->id]->location = into.location();
  }
  std::vector<Value> outputs;
  for (const Value v : from.outputs()) outputs.push_back(value_of(v));
  return outputs;
}

}  // namespace weft::ir
