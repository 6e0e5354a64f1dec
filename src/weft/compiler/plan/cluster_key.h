// Keys that recognise equal clusters at different places of a program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/base/hash.h>
#include <weft/compiler/plan/placement.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Makes the keys of a graph's clusters. Not thread-safe.
class ClusterKeys {
 public:
  ClusterKeys(const ir::Graph& graph, const Placement& placement);

  // Returns a key that is equal for clusters that lowering turns into the same kernel, or refuses for the same reason, such as those of two
  // equal layers. It covers the nodes (ascending ids), what is recomputed for them, which of their results are stored, and what they read.
  Fingerprint of(std::span<const std::uint32_t> nodes, const ir::Node* reduction, std::span<const ir::Value> outputs);

  // Returns the nodes that the last key covers. Nodes at the same place correspond in clusters with equal keys.
  std::span<const std::uint32_t> met() const { return met_; }
  // Returns a node's place in met().
  std::uint32_t place_of(const ir::Node& node) const;

 private:
  bool meet(const ir::Node& n);  // returns whether the node is met for the first time
  void describe(const ir::Node& n);
  void add_operand(ir::Value v);

  const ir::Graph& graph_;
  const Placement& placement_;
  Fingerprint key_;
  std::vector<std::uint32_t> met_;
  // by node: place in met_, and the number of the key that last met the node
  std::vector<std::uint32_t> place_, met_by_;
  std::uint32_t count_ = 0;  // the number of keys made
};

}  // namespace weft::compiler
