// Prints a program's description as HLO text, in the conventions of XLA, whose parser reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weft/runtime/program_description.h>

namespace weft::runtime {

// Returns the text of the whole program. Constants whose elements were not kept are written as {...}, which no parser accepts.
std::string hlo_text(const ProgramDescription& program);

// Returns one instruction, in one line: ROOT %add.3 = f32[4]{0} add(%x.1, %y.2). It must belong to `computation`.
std::string hlo_line(const ProgramDescription& program, const Computation& computation, const Instruction& instruction);

// Returns f32[4,5]{1,0}, or (f32[4]{0}, s32[]) for a tuple; without the layout f32[4,5].
std::string hlo_shape(const Shape& shape, bool has_layout = true);

// Returns the text between the parentheses: the names of operands; the number of a parameter; the elements of a constant.
std::vector<std::string> hlo_operands(const Computation& computation, const Instruction& instruction);

// Replaces the characters that HLO names cannot have.
std::string hlo_name(std::string_view name);

}  // namespace weft::runtime
