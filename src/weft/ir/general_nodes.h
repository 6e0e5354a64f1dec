// Compares nodes of graphs that differ in sizes.
#pragma once

#include <string>

#include <weft/ir/graph.h>

namespace weft::ir {

// Returns the op, its type and where it was recorded, for messages.
std::string describe(const Node& node);

// Returns whether both values are the same result of the same node number in their graphs.
bool same_value(Value a, Value b);

// Returns whether the node is a constant whose elements are all one value.
bool is_splat(const Node& node);

// Compares two nodes of the same op. The type of a constant does not count as an attribute.
bool have_same_attributes(const Node& a, const Node& b);

// Returns whether the attributes of two nodes of the same op differ in sizes at most.
bool have_attributes_alike(const Node& a, const Node& b);

}  // namespace weft::ir
