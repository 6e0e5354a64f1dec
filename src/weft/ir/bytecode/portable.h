// Replaces what StableHLO lacks by what it has.
#pragma once

#include <memory>
#include <string_view>

#include <weft/ir/graph.h>

namespace weft::ir::bytecode {

// The composites of this name are erf; JAX writes it so, too.
inline constexpr std::string_view erf_composite = "chlo.erf";

// Returns the graph with erf as composites with a decomposition; null if it has none.
std::shared_ptr<Graph> with_erf_as_composite(const Graph& graph);

}  // namespace weft::ir::bytecode
