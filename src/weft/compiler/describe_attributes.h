// The opcode and the attributes of a node's instruction in HLO.
#pragma once

#include <string>

#include <weft/base/size.h>
#include <weft/ir/graph.h>
#include <weft/runtime/program_description.h>

namespace weft::compiler {

std::string hlo_opcode(const ir::Node& node);  // broadcast of broadcast_in_dim
// Without the computations that it calls.
void describe_attributes(const ir::Node& node, const SizeValues& sizes, runtime::Instruction& instruction);

}  // namespace weft::compiler
