// Aligns graphs that differ only in same-rank broadcasts. An operand's dimension of size 1 is broadcast if the other operands are
// longer there, but not if they have size 1 as well. A broadcast to the operand's own type changes nothing, so adding one makes
// both graphs have the same nodes.
#pragma once

#include <memory>

#include <weft/ir/graph.h>

namespace weft::ir {

// Returns whether the node only broadcasts dimensions of size 1: the result has the operand's rank, and its dimensions keep their order.
bool is_same_rank_broadcast(const Node& node);

// Returns a graph that computes the same as `graph` but has the nodes of `like`, in the same order and with the same operands.
// Where only `like` has a same-rank broadcast, the new graph has a broadcast to the operand's own type. Returns `graph` itself if
// its nodes already match, and null if there is no such graph.
std::shared_ptr<const Graph> align_broadcasts(std::shared_ptr<const Graph> graph, const Graph& like);

}  // namespace weft::ir
