// Handwritten descriptions of programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <weft/runtime/program_description.h>

namespace weft::profile {

using runtime::Attribute;
using runtime::Computation;
using runtime::Instruction;
using runtime::Numbers;
using runtime::ProgramDescription;
using runtime::Shape;

inline Type f32(const Numbers& sizes) { return Type(DType::f32, std::vector<Dim>(sizes.begin(), sizes.end())); }
inline Shape array(const Numbers& sizes) { return {.types = {f32(sizes)}}; }

inline Instruction parameter(std::string name, const Numbers& sizes, std::uint32_t number) {
  return {.name = std::move(name), .opcode = "parameter", .shape = array(sizes), .parameter = number};
}

// Returns a program with this entry as last computation, and with its last instruction as root.
inline ProgramDescription with_entry(std::vector<Instruction> instructions, std::vector<Computation> before = {}) {
  const auto root = static_cast<std::uint32_t>(instructions.size() - 1);
  before.push_back({"main", std::move(instructions), root});
  return {.name = "main", .computations = std::move(before)};
}

}  // namespace weft::profile
