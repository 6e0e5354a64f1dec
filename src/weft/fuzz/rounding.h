// The accuracy of elementwise ops, derived from the primitives in their scalar rules.
#pragma once

#include <weft/ir/graph.h>

namespace weft::fuzz {

// Returns by how many units in the last place two faithful computations of the node may differ. It is 0 for ops that select, move
// bits or are exact and, in strict arithmetic, for the operations that IEEE 754 rounds correctly.
double rounding_ulps(const ir::Node& node, bool strict);

}  // namespace weft::fuzz
