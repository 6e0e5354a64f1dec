#include <weft/ir/row_bodies.h>

#include <algorithm>

#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

enum class Source : std::uint8_t { nothing, outside, rows };  // the most that a node depends on

std::vector<Source> sources_of(const Graph& graph, std::span<const RowsOfTable> tables) {
  std::vector<Source> sources(graph.nodes().size());
  for (const Value input : graph.inputs()) sources[input.node->id] = Source::outside;
  for (const RowsOfTable& table : tables)
    for (const std::size_t input : table.inputs) sources[graph.inputs()[input].node->id] = Source::rows;
  for (const Node* node : graph.nodes()) {
    for (const Value operand : node->operands)
      sources[node->id] = std::max(sources[node->id], sources[operand.node->id]);
    // A number is given to bodies as such, and becomes a row there.
    if (node->op == &ops::broadcast_in_dim && sources[node->id] == Source::outside) sources[node->id] = Source::rows;
  }
  return sources;
}

// Returns the values from outside of which rows are computed, or which are outputs.
std::vector<Value> numbers_of(const Graph& graph, std::span<const Source> sources) {
  std::vector<Value> numbers;
  const auto use = [&](Value v) {
    if (sources[v.node->id] == Source::outside && std::ranges::find(numbers, v) == numbers.end()) numbers.push_back(v);
  };
  for (const Node* node : graph.nodes())
    if (sources[node->id] == Source::rows) std::ranges::for_each(node->operands, use);
  std::ranges::for_each(graph.outputs(), use);
  return numbers;
}

std::shared_ptr<const Graph> body_of(const Graph& graph, const RowsOfTable& table, std::span<const Value> numbers) {
  const auto body = std::make_shared<Graph>();
  Inliner inliner(*body, graph);
  for (const std::size_t input : table.inputs) {
    const Value row = graph.inputs()[input];
    inliner.substitute(row, body->add_input(row.type()));
  }
  for (const Value number : numbers) inliner.substitute(number, body->add_input(number.type()));
  std::vector<Value> outputs;
  for (const std::size_t output : table.outputs) outputs.push_back(graph.outputs()[output]);
  std::vector<Value> copies = inliner.copy(outputs);
  for (const Node* node : body->nodes())
    require(node->op != &ops::parameter ||
                std::ranges::find(body->inputs(), Value{const_cast<Node*>(node), 0}) != body->inputs().end(),
            "the rows of a table depend on rows of another table");
  body->set_outputs(std::move(copies));
  return body;
}

}  // namespace

RowBodies divide_rows(const Graph& graph, std::span<const RowsOfTable> tables) {
  RowBodies divided{.numbers = numbers_of(graph, sources_of(graph, tables)), .bodies = {}, .of_table = {}};
  for (const RowsOfTable& table : tables) {
    const std::shared_ptr<const Graph> body = body_of(graph, table, divided.numbers);
    const auto same =
        std::ranges::find_if(divided.bodies, [&](const auto& other) { return structurally_equal(*body, *other); });
    divided.of_table.push_back(same - divided.bodies.begin());
    if (same == divided.bodies.end()) divided.bodies.push_back(body);
  }
  return divided;
}

}  // namespace weft::ir
