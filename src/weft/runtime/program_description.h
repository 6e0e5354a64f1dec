// What a compiled program is made of, in XLA's terms and as plain data: the compiler fills it, a recording keeps it, every view of a
// program reads it, and HLO text is one way to print it (hlo_text.h). Names are without '%'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <weft/base/type.h>

namespace weft::runtime {

using Numbers = std::vector<std::int64_t>;

struct Shape {
  std::vector<Type> types = {};  // static ones: that of an array, or those of a tuple's elements
  bool is_tuple = false;
};

struct Attribute {
  using Value = std::variant<bool, std::int64_t, std::string, Numbers, std::vector<Numbers>>;
  std::string name;  // HLO's: dimensions, lhs_contracting_dims, direction
  // A slice has a row of start, limit and stride for each dimension, a padding one of low, high and interior.
  Value value;
  bool is_quoted = false;  // a text that HLO writes in quotes
};

// A list that is empty stands for ones; of padding and reversal, for zeros.
struct Window {
  Numbers size, stride;
  Numbers padding;  // low and high of each dimension
  Numbers base_dilation, window_dilation, reversal;
};

// Which dimensions are what: batch and feature, of the kernel input feature and output feature; then the spatial ones.
struct ConvolutionDims {
  Numbers input, kernel, output;
};

struct Instruction {
  std::string name = {};    // fusion.12
  std::string opcode = {};  // HLO's: dot, get-tuple-element
  Shape shape = {};
  std::vector<std::uint32_t> operands = {};  // instructions before it in its computation
  std::vector<std::uint32_t> calls = {};     // computations before its own: of a fusion, a loop, a reduction
  std::optional<Window> window = {};
  std::optional<ConvolutionDims> convolution = {};
  std::vector<Attribute> attributes = {};  // in the order in which HLO writes them
  std::uint32_t parameter = 0;             // its number
  // All elements of a constant, in row-major order. None where they were too many to be kept.
  std::optional<std::vector<std::byte>> literal = {};
  std::string scope = {}, file = {};  // module path; the user's file and line, empty where they are not known
  std::uint32_t line = 0;
  // Where the size of each dimension comes from: "input 0 dim 1", "input 0 dim 0 / 2". Only of arrays that the entry and its fusions
  // compute.
  std::vector<std::string> dims = {};

  std::string source() const { return file.empty() ? "" : concat(file, ':', line); }
  // The attribute's value, if it has one of that name and type; null: it has not.
  template <class T>
  const T* attribute(std::string_view wanted) const {
    for (const Attribute& a : attributes)
      if (a.name == wanted) return std::get_if<T>(&a.value);
    return nullptr;
  }
};

struct Computation {
  std::string name = {};
  std::vector<Instruction> instructions = {};
  std::uint32_t root = 0;
};

struct ProgramDescription {
  std::string name = {};
  std::vector<Computation> computations =
      {};  // the last is the entry; no two fusions call the same; empty: nothing is known
  std::vector<std::uint32_t> thunks = {};  // which of the entry's instructions each thunk runs

  const Computation* entry() const { return computations.empty() ? nullptr : &computations.back(); }
  // Returns the instruction that a thunk runs; null where that is not known.
  const Instruction* of_thunk(std::size_t thunk) const {
    return thunk < thunks.size() ? &computations.back().instructions[thunks[thunk]] : nullptr;
  }
  // What a fusion computes; null for other instructions.
  const Computation* fused(const Instruction& instruction) const {
    return instruction.opcode == "fusion" && !instruction.calls.empty() ? &computations[instruction.calls[0]] : nullptr;
  }
};

}  // namespace weft::runtime
