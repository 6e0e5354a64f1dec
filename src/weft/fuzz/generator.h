// Random well-typed graphs: ops are drawn from the op table and called in the ways their declarations allow, on all dtypes, empty
// and rank-0 shapes among them; control flow has random bodies, and what is differentiable may be differentiated.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <weft/ir/graph.h>
#include <weft/ir/op.h>

namespace weft::fuzz {

// The graph of this seed; every node is needed for an output.
std::shared_ptr<const ir::Graph> random_graph(std::uint64_t seed);

// Whether graphs hold the op: all ops but those that are no computation of their own (parameter, custom_call).
bool is_generated(const ir::Op& op);

}  // namespace weft::fuzz
