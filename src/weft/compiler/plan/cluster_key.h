// What a cluster is, wherever it stands in the program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/base/hash.h>
#include <weft/compiler/plan/placement.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Makes the keys of a graph's clusters. Not for several threads at once.
class ClusterKeys {
 public:
  ClusterKeys(const ir::Graph& graph, const Placement& placement);

  // Equal for clusters of which lowering makes the same kernel, or refuses to for the same reason: those of two equal layers. It
  // covers the nodes (ascending ids), what is computed again for them, which of their results are stored, and what they read.
  Fingerprint of(std::span<const std::uint32_t> nodes, const ir::Node* reduction, std::span<const ir::Value> outputs);

  // The nodes that the last key came by: of clusters with equal keys, those at the same place correspond.
  std::span<const std::uint32_t> met() const { return met_; }
  // A node's place among them.
  std::uint32_t place_of(const ir::Node& node) const;

 private:
  bool meet(const ir::Node& n);  // whether for the first time
  void describe(const ir::Node& n);
  void add_operand(ir::Value v);

  const ir::Graph& graph_;
  const Placement& placement_;
  Fingerprint key_;
  std::vector<std::uint32_t> met_;
  std::vector<std::uint32_t> place_, met_by_;  // by node: where in met_, and the number of the key that came by last
  std::uint32_t count_ = 0;                    // of keys
};

}  // namespace weft::compiler
