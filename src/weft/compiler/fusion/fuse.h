// Fusion: which nodes become one kernel.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/compiler/fusion/lower.h>
#include <weft/compiler/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// The graph as units, each in the order of its last node. Nodes that nothing needs become nothing. `fallbacks` receives a line
// for each node that no kernel exists for.
std::vector<Unit> fuse(const ir::Graph& graph, const Options& options, std::vector<std::string>& fallbacks);

}  // namespace weft::compiler
