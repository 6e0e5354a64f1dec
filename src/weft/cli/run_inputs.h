// The arrays that a function is run on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::cli {

// Those of the files (.npy, or .npz with several), in order, and drawn ones for the inputs that are left when there is a seed: the
// same for the same seed and type at the same place. A file of complex numbers is the two inputs that a complex argument is.
// Throws Error when they do not fit the function's inputs in number and type.
std::vector<ir::Array> find_inputs(const ir::Graph& function, std::span<const std::string> files,
                                   std::optional<std::int64_t> seed);

}  // namespace weft::cli
