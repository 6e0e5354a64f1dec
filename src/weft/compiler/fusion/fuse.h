// Fusion: which nodes become one kernel.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/fusion/lower.h>
#include <weft/compiler/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct FusionOptions {
  bool fuse = true;      // off: each node is a kernel of its own
  bool contract = true;  // multiply and add may be contracted
};

// The graph as units, each in the order of its last node. Nodes that nothing needs become nothing. `fallbacks` receives a line
// for each node that no kernel exists for.
std::vector<Unit> fuse(const ir::Graph& graph, const FusionOptions& options, std::vector<std::string>& fallbacks);

}  // namespace weft::compiler
