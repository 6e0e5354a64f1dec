// Finds which outputs of a training step are inputs of the next one.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns, for each input, the output of the same type that is its new value, by the flow of the data: a parameter and what it is updated
// to; -1 if there is none.
std::vector<std::int32_t> updated_inputs(const ir::Graph& graph);

}  // namespace weft::compiler
