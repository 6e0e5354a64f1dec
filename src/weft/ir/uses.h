// How often values of a graph are used.
#pragma once

#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

// Returns how often each node, by its id, is an operand or an output.
std::vector<int> count_uses(const Graph& graph);

}  // namespace weft::ir
