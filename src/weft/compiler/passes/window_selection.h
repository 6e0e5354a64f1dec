// Computes select_and_scatter, the gradient of a max pool, by elementwise ops.
#pragma once

#include <span>

#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns whether the node is a select_and_scatter with windows of known sizes and few elements, and with elementwise bodies.
bool is_small_selection(const ir::Node& node);

// Returns the result for these operands. Each element gets what the windows that select it scatter, in the order of the windows.
ir::Value selection_of_slices(ir::Graph& graph, const ir::Node& node, std::span<const ir::Value> operands);

}  // namespace weft::compiler
