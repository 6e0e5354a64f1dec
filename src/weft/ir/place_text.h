// Places and inputs of the user's program, for messages.
#pragma once

#include <cstddef>
#include <string>

#include <weft/ir/graph.h>

namespace weft::ir {

// Returns "file:line in module"; empty if the place is unknown.
std::string place_text(const Location& location);

// Returns the name of an input, or "input 3" if it has none.
std::string input_name(const Graph& graph, std::size_t index);
// Returns the name of a dimension of an input: "images dim 0".
std::string dim_name(const Graph& graph, std::size_t input, int dim);

}  // namespace weft::ir
