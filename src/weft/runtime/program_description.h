// Describes a compiled program in XLA's terms, as plain data. The compiler fills it, a recording keeps it, every view of a
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
  std::vector<Type> types = {};  // static types: of the array, or of the tuple's elements
  bool is_tuple = false;
};

struct Attribute {
  using Value = std::variant<bool, std::int64_t, std::string, Numbers, std::vector<Numbers>>;
  std::string name;  // HLO's name: dimensions, lhs_contracting_dims, direction
  // A slice has a row (start, limit, stride) for each dimension, a padding has a row (low, high, interior).
  Value value;
  bool is_quoted = false;  // HLO writes the text in quotes
};

// An empty list stands for ones; for padding and reversal, it stands for zeros.
struct Window {
  Numbers size, stride;
  Numbers padding;  // low and high for each dimension
  Numbers base_dilation, window_dilation, reversal;
};

// The order of dimensions: batch and feature (for the kernel, input feature and output feature), then the spatial dimensions.
struct ConvolutionDims {
  Numbers input, kernel, output;
};

struct Instruction {
  std::string name = {};    // "fusion.12"
  std::string opcode = {};  // HLO's name: dot, get-tuple-element
  Shape shape = {};
  std::vector<std::uint32_t> operands = {};  // earlier instructions of its computation
  std::vector<std::uint32_t> calls = {};     // earlier computations that a fusion, a loop or a reduction calls
  std::optional<Window> window = {};
  std::optional<ConvolutionDims> convolution = {};
  std::vector<Attribute> attributes = {};  // in the order in which HLO writes them
  std::uint32_t parameter = 0;             // the number of a parameter
  // All elements of a constant, in row-major order; nullopt if they were too many to keep.
  std::optional<std::vector<std::byte>> literal = {};
  std::string scope = {}, file = {};  // the module path; the user's file and line, empty if unknown
  std::uint32_t line = 0;
  // The origin of the size of each dimension: "input 0 dim 1", "input 0 dim 0 / 2". Only for arrays that the entry and its
  // fusions compute.
  std::vector<std::string> dims = {};

  std::string source() const { return file.empty() ? "" : concat(file, ':', line); }
  // Returns the attribute of that name and type, or null if there is none.
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

// A tensor that the devices of a mesh exchange, and why.
struct ExchangedTensor {
  std::int32_t thunk = -1;       // that carries it; -1: a thunk within a loop or a branch does
  std::string collective, axes;  // all_reduce; data
  double sent_bytes = 0;         // by each device
  std::string formula;           // of these bytes: 2 x 7/8 of tensor<128x64xf32>
  std::string reason;
  // Changes that would remove the collective, the best first, found by dividing the program again. Empty if none was tried.
  std::vector<std::string> remedies = {};
};

// State that all devices along an axis of a mesh hold, although it is only updated element by element: each could hold a part of it.
struct ReplicatedState {
  std::string axis;
  std::int64_t devices = 1;  // along the axis
  std::int64_t tensors = 0;
  double bytes = 0;  // on each device
};

struct ProgramDescription {
  std::string name = {};
  // The last one is the entry. No two fusions call the same computation. Empty if nothing is known.
  std::vector<Computation> computations = {};
  // For each thunk, the instruction of the entry that it runs; no two run the same one. A thunk may run none.
  std::vector<std::uint32_t> thunks = {};
  static constexpr std::uint32_t no_instruction = ~std::uint32_t{0};
  std::vector<ExchangedTensor> exchanged =
      {};  // of a program for a mesh; the tensor of which the most bytes are sent comes first
  std::vector<ReplicatedState> replicated = {};  // of such a program; the axis that could save the most comes first

  const Computation* entry() const { return computations.empty() ? nullptr : &computations.back(); }
  bool runs_instruction(std::size_t thunk) const { return thunk < thunks.size() && thunks[thunk] != no_instruction; }
  // Returns the instruction that a thunk runs, or null if unknown.
  const Instruction* of_thunk(std::size_t thunk) const {
    return runs_instruction(thunk) ? &computations.back().instructions[thunks[thunk]] : nullptr;
  }
  // Returns the computation of a fusion; null for other instructions.
  const Computation* fused(const Instruction& instruction) const {
    return instruction.opcode == "fusion" && !instruction.calls.empty() ? &computations[instruction.calls[0]] : nullptr;
  }
};

}  // namespace weft::runtime
