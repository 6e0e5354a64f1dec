// Recomputes values that are needed late instead of keeping them: in a training step, the activations that the backward pass needs long
// after the forward pass made them. The choice is greedy: of the values that wait at the moment of peak memory, those that cost least to
// recompute per byte are taken until the rest fits into the budget.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <weft/compiler/plan/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct Recomputation {
  std::shared_ptr<const ir::Graph> graph;
  // Nodes with ids from here on run after the moment of peak memory, the others before it; 0 if the graph is unchanged.
  std::uint32_t late = 0;
  int nodes = 0;                                        // nodes that compute something again
  std::uint64_t waiting_before = 0, waiting_after = 0;  // predicted peak of waiting bytes
};

// `units` are the graph's, in the order in which they would run. The result has no graph if nothing waits beyond the budget, or nothing can
// be done about it.
Recomputation recompute(const ir::Graph& graph, std::span<const Unit> units, std::uint64_t budget);

}  // namespace weft::compiler
