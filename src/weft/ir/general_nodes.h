// How nodes of graphs that differ in sizes are compared.
#pragma once

#include <string>

#include <weft/ir/graph.h>

namespace weft::ir {

// The op, its type and where it was recorded, for messages.
std::string describe(const Node& node);

// The same result of the same node, by number, of two graphs.
bool same_value(Value a, Value b);

// A constant of one element, repeated.
bool is_splat(const Node& node);

// Of one op. A constant's type is no attribute.
bool have_same_attributes(const Node& a, const Node& b);

// Of one op: whether they may be of one form, of which sizes are all that differs.
bool have_attributes_alike(const Node& a, const Node& b);

}  // namespace weft::ir
