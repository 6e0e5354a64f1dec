// Fourier transforms that the CPU computes with kernels of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

bool has_fft_kernel(const ir::Node& node, const Target& target);

// Returns the radices of the passes of a transform of n numbers; empty if n has a large prime factor.
std::vector<int> fft_radices(std::int64_t n);

// A pass of a transform. Each row of it applies a butterfly to `inner` neighbouring elements of `radix` operands, and then multiplies the
// last `turned` of the results by factors.
struct FftPass {
  int radix = 2, turned = 0;
  bool turns_lanes = false;  // each element has a factor of its own; otherwise all elements of a row share one
  // The second operand and the second result go backwards: from element to element if turns_lanes, or else from row to row.
  bool is_mirrored = false;
  bool halves = false;   // a mirrored pass halves its results
  bool contract = true;  // multiply and add may be contracted
  DType dtype = DType::f32;
  // Inputs: the real parts of the operands, the imaginary parts, then the real and the imaginary parts of the factors. Outputs: the real
  // parts of the results, then the imaginary parts.
  std::shared_ptr<const ir::Graph> butterfly;

  std::string key() const;  // equal keys mean equal code
};

// Runs `outer` rows of a pass. `parts` are the addresses of the real and the imaginary parts of the operands, of the results, and of the
// factors. `strides` are, for each of these three, the distance of operands (results, factors) and of rows, in bytes. Results do not
// overlap operands.
using FftFunction = void (*)(std::int64_t outer, std::int64_t inner, std::byte* const* parts,
                             const std::int64_t* strides);

}  // namespace weft::compiler
