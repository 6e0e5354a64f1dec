// Data for random graphs.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/fuzz/random.h>
#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::fuzz {

// Moderate numbers, or few different ones, so that there are ties; now and then the whole range of the dtype with infinities and
// NaN, if `wild`.
ir::Array random_array(Type type, Random& random, bool wild);

// One array per input of the graph: input i depends on the seed, i and its type alone.
std::vector<ir::Array> random_inputs(const ir::Graph& graph, std::uint64_t seed);

}  // namespace weft::fuzz
