// Values that are computed again where they are needed late, instead of kept from early on: activations, in a training step, which
// the backward pass needs long after the forward pass has made them. The choice is greedy: among what waits at the moment when most
// bytes do, what costs least to compute again for a byte, until the rest is within the budget.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <weft/compiler/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct Recomputation {
  std::shared_ptr<const ir::Graph> graph;
  std::uint32_t first = 0;  // nodes from here on stand behind the moment at which most bytes waited
  std::vector<bool> again;  // by node: it computes what another one did already
  int nodes = 0;            // of those
  std::uint64_t waiting_before = 0, waiting_after = 0;  // the most bytes that wait at once, predicted
};

// `units` are those of the graph, in the order in which they would run. No graph: nothing waits beyond the budget, or nothing can be
// done about it.
Recomputation recompute(const ir::Graph& graph, std::span<const Unit> units, std::uint64_t budget);

}  // namespace weft::compiler
