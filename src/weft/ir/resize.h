// Nodes with other sizes.
#pragma once

#include <cstdint>
#include <span>

#include <weft/ir/graph.h>

namespace weft::ir {

// Whether all sizes of a node are known: those of its operands and results, and those that its attributes are.
bool is_static(const Node& node);

// Appends a copy of a node with other operands and result types of other sizes; nothing is checked. Attributes stay as they are.
Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types);

// The attributes of a node with other numbers, where they are sizes (Op::attributes_are_sizes).
void set_attribute_sizes(Node& node, std::span<const std::int64_t> numbers);

}  // namespace weft::ir
