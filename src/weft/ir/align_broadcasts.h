// Graphs that differ in broadcasts of the same rank alone. A dimension of one element is broadcast where the others of an operation are
// longer, and not where they are of one element, too; with a broadcast to its own type it is the same computation.
#pragma once

#include <memory>

#include <weft/ir/graph.h>

namespace weft::ir {

// Whether the node gives dimensions of one element other sizes, and does nothing else: of an operand's rank, its dimensions in order.
bool is_same_rank_broadcast(const Node& node);

// The computation of `graph` with the nodes of `like`, in their order and with their operands: where `like` has a same-rank broadcast
// and `graph` has none, one to the operand's own type. `graph` itself if it has these nodes; null if there is no such graph.
std::shared_ptr<const Graph> align_broadcasts(std::shared_ptr<const Graph> graph, const Graph& like);

}  // namespace weft::ir
