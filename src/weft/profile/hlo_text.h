// HLO text as weft's compiler prints it, taken apart: what op statistics, graph views and XPlane files show of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
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

  // These return the first of several things that have one name.
  const HloComputation* entry() const;
  const HloComputation* computation(std::string_view name) const;
  const HloInstruction* instruction(std::string_view name) const;  // of the entry
  // The computation that a fusion calls; null for other instructions, and where the text does not have it. No other fusion calls it,
  // and no fusion is within it.
  const HloComputation* fused(const HloInstruction& instruction) const;

 private:
  friend HloModule parse_hlo(std::string_view text);
  void make_index();
  void check_fusions() const;

  using Index = std::map<std::string, std::size_t, std::less<>>;
  std::size_t entry_ = 0;                        // the number of computations if there is none
  Index computation_index_, instruction_index_;  // positions, by name
};

// Throws Error, with the line, for what is not of that form; and for a computation that several fusions call, and fusions in a
// fusion, which the compiler does not make.
HloModule parse_hlo(std::string_view text);

struct Recording;
// The programs of a recording, in their order. Throws Error with the program's name.
std::vector<HloModule> parse_programs(const Recording& recording);

// The whole numbers in a text, whatever stands between them; without those that do not fit.
std::vector<std::int64_t> integers(std::string_view text);

// The name of a thunk's instruction: in the letters that HLO's names have.
std::string hlo_name(std::string_view op);

}  // namespace weft::profile
