// Scatter as XLA does it. StableHLO leaves out the elements of a window that lie outside of the operand; XLA leaves out the whole window if any
// element of it does, and JAX's programs rely on that.
#pragma once

#include <memory>

#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns a graph whose scatters, also in regions, leave out windows that are partly outside of their operand. Returns null if nothing needs
// to change.
std::shared_ptr<ir::Graph> scatter_whole_windows(const ir::Graph& graph);

}  // namespace weft::compiler
