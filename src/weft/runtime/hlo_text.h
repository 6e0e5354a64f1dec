// A program's description as HLO text, in the conventions of XLA, whose parser reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weft/runtime/program_description.h>

namespace weft::runtime {

// The whole program. Constants whose elements were not kept are written as {...}, which no parser takes.
std::string hlo_text(const ProgramDescription& program);

// One instruction, in one line: ROOT %add.3 = f32[4]{0} add(%x.1, %y.2). It must be of that computation.
std::string hlo_line(const ProgramDescription& program, const Computation& computation, const Instruction& instruction);

// f32[4,5]{1,0}, or (f32[4]{0}, s32[]); without the layout f32[4,5].
std::string hlo_shape(const Shape& shape, bool has_layout = true);

// What stands between the brackets: names of instructions; of a parameter its number, of a constant its elements.
std::vector<std::string> hlo_operands(const Computation& computation, const Instruction& instruction);

// A name in the letters that HLO's names have.
std::string hlo_name(std::string_view name);

}  // namespace weft::runtime
