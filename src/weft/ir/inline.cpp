#include <weft/ir/inline.h>

#include <algorithm>
#include <utility>

#include <weft/ir/builder.h>
#include <weft/ir/ops/source.h>

namespace weft::ir {

Inliner::Inliner(Graph& into, const Graph& from) : into_(into), from_(from), first_result_(from.nodes().size() + 1) {
  for (const Node* node : from.nodes()) first_result_[node->id + 1] = first_result_[node->id] + node->types.size();
  copies_.resize(first_result_.back());
}

void Inliner::substitute(Value value, Value substitute) {
  WEFT_ASSERT(value.type() == substitute.type(), "inline: ", substitute.type(), " cannot stand for ", value.type());
  if (!copies_[at(value)]) copies_[at(value)] = substitute;
}

std::vector<Value> Inliner::copy(std::span<const Value> values) {
  return copy(values, std::vector<char>(from_.nodes().size()));
}

std::vector<Value> Inliner::copy_with_effects(std::span<const Value> values) {
  std::vector<char> live(from_.nodes().size());
  for (const Node* node : from_.nodes()) live[node->id] = has_side_effect(*node) ? 1 : 0;
  return copy(values, std::move(live));
}

std::vector<Value> Inliner::copy(std::span<const Value> values, std::vector<char> live) {
  const auto need = [&](Value v) {
    if (!copies_[at(v)]) live[v.node->id] = 1;
  };
  std::ranges::for_each(values, need);
  for (std::size_t id = live.size(); id-- > 0;)
    if (live[id]) std::ranges::for_each(from_.nodes()[id]->operands, need);

  std::vector<Value> operands;
  for (const Node* node : from_.nodes()) {
    if (!live[node->id]) continue;
    operands.clear();
    for (const Value v : node->operands) operands.push_back(copies_[at(v)]);
    Node& copy = into_.append_copy(*node, operands);
    copy.location = into_.location().line != 0 ? into_.location() : node->location;
    for (std::uint32_t i = 0; i < node->types.size(); ++i) {
      Value& known = copies_[first_result_[node->id] + i];
      if (!known) known = copy.result(i);
    }
  }
  std::vector<Value> results;
  for (const Value v : values) results.push_back(copies_[at(v)]);
  return results;
}

std::vector<const Node*> needed_nodes(const Graph& graph) {
  std::vector<char> is_needed(graph.nodes().size());
  for (const Value v : graph.outputs()) is_needed[v.node->id] = 1;
  for (std::size_t id = is_needed.size(); id-- > 0;) {
    const Node& node = *graph.nodes()[id];
    if (!is_needed[id] && !has_side_effect(node)) continue;
    is_needed[id] = 1;
    for (const Value v : node.operands) is_needed[v.node->id] = 1;
  }
  std::vector<const Node*> nodes;
  for (const Node* node : graph.nodes())
    if (is_needed[node->id] && !is_parameter(*node)) nodes.push_back(node);
  return nodes;
}

namespace {

Inliner with_arguments(Graph& into, const Graph& from, std::span<const Value> inputs) {
  require(inputs.size() == from.inputs().size(), "inline: ", from.name, " takes ", from.inputs().size(),
          " inputs, got ", inputs.size());
  Inliner inliner(into, from);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value input = from.inputs()[i];
    require(inputs[i].type() == input.type(), "inline: input ", i, " of ", from.name, " is ", input.type(), ", got ",
            inputs[i].type());
    inliner.substitute(input, inputs[i]);
  }
  return inliner;
}

}  // namespace

std::vector<Value> inline_graph(Graph& into, const Graph& from, std::span<const Value> inputs) {
  return with_arguments(into, from, inputs).copy_with_effects(from.outputs());
}

std::vector<Value> compute_again(Graph& into, const Graph& from, std::span<const Value> inputs) {
  return with_arguments(into, from, inputs).copy(from.outputs());
}

std::shared_ptr<const Graph> make_graph(std::span<const Type> inputs,
                                        const std::function<std::vector<Value>(Graph&, std::span<const Value>)>& body) {
  auto graph = std::make_shared<Graph>();
  for (const Type type : inputs) graph->add_input(type);
  const std::vector<Value> values(graph->inputs().begin(), graph->inputs().end());
  graph->set_outputs(body(*graph, values));
  return graph;
}

}  // namespace weft::ir
