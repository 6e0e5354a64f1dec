// Copies nodes with other sizes.
#pragma once

#include <cstdint>
#include <span>

#include <weft/base/size.h>
#include <weft/ir/graph.h>

namespace weft::ir {

// Returns whether all sizes of a node are known: in its operands, results, attributes and regions.
bool is_static(const Node& node);

// Appends a copy of a node with other operands and with result types of other sizes, without checking it. The attributes are unchanged.
Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types);

// Replaces the sizes in the attributes of a node (Op::has_sizes) by other numbers.
void set_attribute_sizes(Node& node, std::span<const std::int64_t> numbers);

// Returns, in the arena, the attributes of such a node for the given values of the symbols.
const void* attributes_at(const Node& node, const SizeValues& sizes, Arena& arena);

}  // namespace weft::ir
