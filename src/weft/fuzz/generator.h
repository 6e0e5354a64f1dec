// Generates random well-typed graphs. Ops are drawn from the op table and called in the ways that their declarations allow, on
// all dtypes, including empty and rank-0 shapes. Control flow has random bodies, and differentiable parts may be differentiated.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <weft/ir/graph.h>
#include <weft/ir/op.h>

namespace weft::fuzz {

// Returns the graph of this seed; every node contributes to an output.
std::shared_ptr<const ir::Graph> random_graph(std::uint64_t seed);

// Returns whether graphs contain the op: all ops except those that compute nothing themselves (parameter, custom_call).
bool is_generated(const ir::Op& op);

}  // namespace weft::fuzz
