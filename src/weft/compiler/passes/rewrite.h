// The common form of a graph pass: walk the nodes in order and say what each becomes in a new graph.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/base/error.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

class Rewriter {
 public:
  explicit Rewriter(const ir::Graph& from);

  // Called with each node and its operands in the new graph. Returns the values that replace its results there, or nullopt to copy the
  // node. Nodes that it creates get the location of the node that they replace.
  using Replace =
      std::function<std::optional<std::vector<ir::Value>>(const ir::Node& node, std::span<const ir::Value> operands)>;
  std::shared_ptr<ir::Graph> run(const Replace& replace);
  // Visits the nodes in this order, in which each node comes after its operands.
  std::shared_ptr<ir::Graph> run(const Replace& replace, std::span<ir::Node* const> order);

  ir::Graph& graph() { return *to_; }
  ir::Value at(ir::Value old) const {
    const std::size_t first = first_[old.node->id];
    WEFT_ASSERT(first != not_yet, "node ", old.node->id, " is used before its place in the order");
    return values_[first + old.index];
  }

 private:
  static constexpr std::size_t not_yet = std::numeric_limits<std::size_t>::max();

  const ir::Graph& from_;
  std::shared_ptr<ir::Graph> to_;
  std::vector<std::size_t> first_;  // by node: index in values_ of its first result
  std::vector<ir::Value> values_;
};

// Runs a pass that changes only certain nodes. Returns null, without a copy, if the graph has no such node.
template <class Concerns, class Replace>
std::shared_ptr<ir::Graph> rewrite_where(const ir::Graph& graph, Concerns&& concerns, Replace&& replace) {
  const auto concerned = [&](const ir::Node* node) { return concerns(*node); };
  if (std::ranges::none_of(graph.nodes(), concerned)) return nullptr;
  Rewriter rewriter(graph);
  return rewriter.run([&](const ir::Node& node, std::span<const ir::Value> operands) {
    return concerns(node) ? replace(rewriter.graph(), node, operands) : std::optional<std::vector<ir::Value>>();
  });
}

// Copies the names, and the annotations of inputs and outputs. Annotations of nodes are dropped, since their nodes are replaced.
void copy_names_and_annotations(const ir::Graph& from, ir::Graph& to);

// Returns a copy, node by node.
std::shared_ptr<ir::Graph> copy_of(const ir::Graph& graph);
// Returns a copy without the nodes that no output needs and that have no effect. Inputs stay.
std::shared_ptr<ir::Graph> without_dead_nodes(const ir::Graph& graph);
bool has_dead_nodes(const ir::Graph& graph);

}  // namespace weft::compiler
