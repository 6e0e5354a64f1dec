// Checks the calls of host functions in a graph.
#pragma once

#include <weft/ir/graph.h>

namespace weft::ir {

// Throws UnsupportedError that names the target and its place if the graph, or a region in it, calls a function that is not registered.
void require_host_functions(const Graph& graph);

}  // namespace weft::ir
