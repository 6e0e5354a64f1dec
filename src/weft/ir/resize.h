// Nodes with other sizes.
#pragma once

#include <cstdint>
#include <span>

#include <weft/base/size.h>
#include <weft/ir/graph.h>

namespace weft::ir {

// Whether all sizes of a node are known: those of its operands and results, those in its attributes, and all in its regions.
bool is_static(const Node& node);

// Appends a copy of a node with other operands and result types of other sizes; nothing is checked. Attributes stay as they are.
Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types);

// The attributes of a node with other numbers, where they are sizes (Op::has_sizes).
void set_attribute_sizes(Node& node, std::span<const std::int64_t> numbers);

// The attributes of such a node for certain values of the symbols, in the arena.
const void* attributes_at(const Node& node, const SizeValues& sizes, Arena& arena);

}  // namespace weft::ir
