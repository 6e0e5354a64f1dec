// The common shape of a graph pass: walk the nodes in order and say what each becomes in a new graph.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::compiler {

class Rewriter {
 public:
  explicit Rewriter(const ir::Graph& from);

  // Called with each node and its operands in the new graph; returns the values that stand for its results there, or nothing to
  // copy it. Nodes made on the way take the location of the node they stand for.
  using Replace =
      std::function<std::optional<std::vector<ir::Value>>(const ir::Node& node, std::span<const ir::Value> operands)>;
  std::shared_ptr<ir::Graph> run(const Replace& replace);

  ir::Graph& graph() { return *to_; }
  ir::Value at(ir::Value old) const { return map_[old.node->id][old.index]; }

 private:
  const ir::Graph& from_;
  std::shared_ptr<ir::Graph> to_;
  std::vector<std::vector<ir::Value>> map_;
};

// A copy without the nodes that no output needs and that have no effect. Inputs stay.
std::shared_ptr<ir::Graph> without_dead_nodes(const ir::Graph& graph);

}  // namespace weft::compiler
