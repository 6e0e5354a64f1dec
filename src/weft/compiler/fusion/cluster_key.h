// What a cluster is, wherever it stands in the program.
#pragma once

#include <cstdint>
#include <span>

#include <weft/base/hash.h>
#include <weft/compiler/fusion/placement.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Equal for clusters of which lowering makes the same kernel, or refuses to for the same reason: those of two equal layers. It
// covers the nodes (ascending ids), what is computed again for them, which of their results are stored, and what they read.
Fingerprint cluster_key(const ir::Graph& graph, const Placement& placement, std::span<const std::uint32_t> nodes,
                        const ir::Node* reduction, std::span<const ir::Value> outputs);

}  // namespace weft::compiler
