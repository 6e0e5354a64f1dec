// Data for random graphs.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/fuzz/random.h>
#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::fuzz {

// Returns moderate numbers, or only a few distinct ones, so that there are ties. With `wild`, the array sometimes covers the
// whole range of the dtype, including infinities and NaN.
ir::Array random_array(Type type, Random& random, bool wild);

// Returns one array per input of the graph. Input i depends only on the seed, on i and on its type.
std::vector<ir::Array> random_inputs(const ir::Graph& graph, std::uint64_t seed);

}  // namespace weft::fuzz
