// Tensors that a call finds twice: among its arguments, or there and in what the function captured. In the function they are one
// tensor, as they are where it runs by itself. Their values are the same either way, but the gradient by one is that by all of them.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <weft/jit/leaves.h>

namespace weft::jit {

struct ParameterGuard {
  const Parameter* parameter;
  Type type;
};

// Where a call finds a tensor.
struct Finding {
  enum class Kind : std::uint8_t { argument, parameter, captured };
  Kind kind;
  std::uint32_t index;  // of the leaf, or among the captured parameters or tensors

  friend auto operator<=>(const Finding&, const Finding&) = default;
};

struct Alias {
  Finding first, again;  // the first of all of one tensor

  friend auto operator<=>(const Alias&, const Alias&) = default;
};

// Sorted.
void find_aliases(std::span<const Leaf> leaves, std::span<const ParameterGuard> parameters,
                  std::span<const Tensor> captured, std::vector<Alias>& found);

}  // namespace weft::jit
