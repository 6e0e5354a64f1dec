// HLO text as weft's compiler prints it, taken apart: what op statistics, graph views and XPlane files show of a program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::profile {

struct HloInstruction {
  std::string name;   // fusion.12
  std::string shape;  // f32[8,256]{1,0}, or a tuple
  std::string opcode;
  std::vector<std::string> operands;  // names; of a parameter its number, of a constant its text
  std::string attributes;             // what stands behind the operands, metadata left out
  std::string scope, source;          // module path, and user file:line
  std::vector<std::string> calls;     // computations: of a fusion, a loop, a reduction
  bool is_root = false;
  std::string text;  // the line

  bool has_literal_operand() const { return opcode == "parameter" || opcode == "constant"; }
};

struct HloComputation {
  std::string name;
  std::vector<HloInstruction> instructions;
  bool is_entry = false;
};

struct HloModule {
  std::string name;
  std::vector<HloComputation> computations;

  const HloComputation* entry() const;
  const HloComputation* computation(std::string_view name) const;
  const HloInstruction* instruction(std::string_view name) const;  // of the entry
};

// Throws Error, with the line, for what is not of that form.
HloModule parse_hlo(std::string_view text);

// The name of a thunk's instruction: in the letters that HLO's names have.
std::string hlo_name(std::string_view op);

}  // namespace weft::profile
