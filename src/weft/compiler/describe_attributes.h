// The opcode and the attributes of a node, as an HLO instruction has them.
#pragma once

#include <string>

#include <weft/base/size.h>
#include <weft/ir/graph.h>
#include <weft/runtime/program_description.h>

namespace weft::compiler {

std::string hlo_opcode(const ir::Node& node);  // for example broadcast for broadcast_in_dim
// Describes the node's attributes except for the computations that it calls.
void describe_attributes(const ir::Node& node, const SizeValues& sizes, runtime::Instruction& instruction);

}  // namespace weft::compiler
