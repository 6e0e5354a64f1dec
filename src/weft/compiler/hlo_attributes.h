// What stands behind an instruction of HLO text: `, dimensions={0,1}, direction=LT`.
#pragma once

#include <string>
#include <string_view>

#include <weft/base/size.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

std::string hlo_opcode(const ir::Node& node);                               // broadcast of broadcast_in_dim
std::string hlo_attributes(const ir::Node& node, const SizeValues& sizes);  // without the computations that it calls
std::string hlo_shape(Type type);                                           // f32[4,5]{1,0}
std::string hlo_literal(const ir::Literal& literal);

// The words with which an op names the computations of its regions, in their order: condition, body.
std::span<const std::string_view> hlo_region_words(const ir::Node& node);

}  // namespace weft::compiler
