// Provides the arrays on which a function is run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::cli {

// Reads the arrays of the files (.npy, or .npz with several) in order; if there is a seed, draws the remaining inputs
// at random, determined by the seed, the type and the position. A file of complex numbers fills the two inputs of a
// complex argument. Throws Error if the arrays do not fit the function's inputs in number and type.
std::vector<ir::Array> find_inputs(const ir::Graph& function, std::span<const std::string> files,
                                   std::optional<std::int64_t> seed);

}  // namespace weft::cli
