#include <weft/compiler/passes/rewrite.h>

#include <weft/ir/ops.h>

namespace weft::compiler {

void copy_names_and_annotations(const ir::Graph& from, ir::Graph& to) {
  to.name = from.name;
  to.input_names = from.input_names;
  to.input_dims = from.input_dims;
  to.annotations = from.annotations;
  if (!to.annotations || to.annotations->nodes.empty()) return;
  auto said = std::make_shared<ir::FunctionAnnotations>(*from.annotations);
  said->nodes.clear();
  to.annotations = std::move(said);
}

Rewriter::Rewriter(const ir::Graph& from) : from_(from), to_(std::make_shared<ir::Graph>()) {
  first_.resize(from.nodes().size(), not_yet);
  values_.reserve(from.nodes().size());
  copy_names_and_annotations(from, *to_);
}

std::shared_ptr<ir::Graph> Rewriter::run(const Replace& replace) { return run(replace, from_.nodes()); }

std::shared_ptr<ir::Graph> Rewriter::run(const Replace& replace, std::span<ir::Node* const> order) {
  std::vector<ir::Value> operands;
  for (ir::Node* node : order) {
    to_->set_location(node->location);
    first_[node->id] = values_.size();
    if (ir::is_parameter(*node)) {
      values_.push_back(to_->add_input(node->type()));
      continue;
    }
    operands.clear();
    for (const ir::Value v : node->operands) operands.push_back(at(v));
    if (const auto replaced = replace(*node, operands)) {
      values_.insert(values_.end(), replaced->begin(), replaced->end());
      continue;
    }
    ir::Node& copy = to_->append_copy(*node, operands);
    for (std::uint32_t i = 0; i < copy.types.size(); ++i) values_.push_back(copy.result(i));
  }
  std::vector<ir::Value> outputs;
  for (const ir::Value v : from_.outputs()) outputs.push_back(at(v));
  to_->set_outputs(std::move(outputs));
  return to_;
}

std::shared_ptr<ir::Graph> copy_of(const ir::Graph& graph) {
  return Rewriter(graph).run([](const ir::Node&, std::span<const ir::Value>) { return std::nullopt; });
}

namespace {

std::vector<char> find_alive(const ir::Graph& graph) {
  std::vector<char> alive(graph.nodes().size());
  for (const ir::Value v : graph.outputs()) alive[v.node->id] = 1;
  for (const ir::Node* node : graph.nodes()) alive[node->id] |= ir::has_side_effect(*node) ? 1 : 0;
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    if (!alive[i]) continue;
    for (const ir::Value v : graph.nodes()[i]->operands) alive[v.node->id] = 1;
  }
  return alive;
}

}  // namespace

bool has_dead_nodes(const ir::Graph& graph) {
  const std::vector<char> alive = find_alive(graph);
  return std::ranges::any_of(graph.nodes(),
                             [&](const ir::Node* node) { return !alive[node->id] && !ir::is_parameter(*node); });
}

std::shared_ptr<ir::Graph> without_dead_nodes(const ir::Graph& graph) {
  const std::vector<char> alive = find_alive(graph);
  auto result = std::make_shared<ir::Graph>();
  copy_names_and_annotations(graph, *result);
  std::vector<ir::Node*> map(graph.nodes().size());
  std::vector<ir::Value> operands;
  for (ir::Node* node : graph.nodes()) {
    result->set_location(node->location);
    if (ir::is_parameter(*node)) {
      map[node->id] = result->add_input(node->type()).node;
      continue;
    }
    if (!alive[node->id]) continue;
    operands.clear();
    for (const ir::Value v : node->operands) operands.push_back({map[v.node->id], v.index});
    map[node->id] = &result->append_copy(*node, operands);
  }
  std::vector<ir::Value> outputs;
  for (const ir::Value v : graph.outputs()) outputs.push_back({map[v.node->id], v.index});
  result->set_outputs(std::move(outputs));
  return result;
}

}  // namespace weft::compiler
