// Nodes with other sizes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include <weft/ir/graph.h>

namespace weft::ir {

// The limit of a slice that takes all of a dimension whose size is an expression.
inline constexpr std::int64_t to_end = std::numeric_limits<std::int64_t>::max();

// Appends a copy of a node with other operands and result types of other sizes; nothing is checked.
Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types);

}  // namespace weft::ir
