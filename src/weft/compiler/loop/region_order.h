// The order in which a region's nodes may be computed: each node after those that make its operands, and after the readers of the memory
// that it overwrites.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/compiler/loop/while_kernel.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

class RegionOrder {
 public:
  // `memory` says which memory is overwritten; null if none is.
  RegionOrder(const ir::Graph& graph, const WhileRegion* memory) : next_(graph.nodes().size()), waits_(next_.size()) {
    for (const ir::Node* n : graph.nodes()) {
      for (const ir::Value v : n->operands) edge(v.node->id, n->id);
      if (memory)
        for (const std::uint32_t before : memory->after[n->id]) edge(before, n->id);
    }
  }

  // Calls ready(id) for each node that waits for no other.
  void start(auto&& ready) const {
    for (std::uint32_t id = 0; id < waits_.size(); ++id)
      if (waits_[id] == 0) ready(id);
  }
  // Marks the node as computed: calls ready(id) for each node that waited only for this one.
  void finish(std::uint32_t id, auto&& ready) {
    for (const std::uint32_t user : next_[id])
      if (--waits_[user] == 0) ready(user);
  }

 private:
  void edge(std::uint32_t from, std::uint32_t to) {
    next_[from].push_back(to);
    ++waits_[to];
  }

  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<int> waits_;
};

}  // namespace weft::compiler
