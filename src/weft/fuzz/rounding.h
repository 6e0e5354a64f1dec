// How exactly elementwise ops are computed, from the primitives that their scalar meaning is made of.
#pragma once

#include <weft/ir/graph.h>

namespace weft::fuzz {

// Units in the last place of the result by which two faithful computations of the node may differ: 0 for what selects, moves bits
// or is exact; in strict arithmetic also for the operations that IEEE 754 rounds correctly.
double rounding_ulps(const ir::Node& node, bool strict);

}  // namespace weft::fuzz
