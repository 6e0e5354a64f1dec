// Values that are computed again where they are needed late, instead of kept from early on: activations, in a training step, which
// the backward pass needs long after the forward pass has made them. The choice is greedy: among what waits at the moment when most
// bytes do, what costs least to compute again for a byte, until the rest is within the budget.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <weft/compiler/plan/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct Recomputation {
  std::shared_ptr<const ir::Graph> graph;
  // Nodes from here on run behind the moment at which most bytes waited, the others before it; 0: it is the same graph.
  std::uint32_t late = 0;
  int nodes = 0;                                        // that compute what others did already
  std::uint64_t waiting_before = 0, waiting_after = 0;  // the most bytes that wait at once, predicted
};

// `units` are those of the graph, in the order in which they would run. No graph: nothing waits beyond the budget, or nothing can be
// done about it.
Recomputation recompute(const ir::Graph& graph, std::span<const Unit> units, std::uint64_t budget);

}  // namespace weft::compiler
