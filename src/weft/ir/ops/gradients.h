// Helpers shared by the gradient rules of several families. Only their implementation files include this header.
#pragma once

#include <algorithm>
#include <vector>

#include <weft/ir/builder.h>

namespace weft::ir {

inline Value zeros_like(Value x) { return constant_like(x, 0); }
// Returns a rank-0 constant with the dtype of `x`.
inline Value scalar_like(Value x, double value) { return constant(x.graph(), Type(x.dtype(), {}), value); }
// Returns whether the type is known to have no elements.
inline bool is_empty(Type type) { return std::ranges::find(type.dims(), Dim(0)) != type.dims().end(); }

// Returns the `count` numbers from, from + 1, ...
inline std::vector<std::int64_t> dimension_range(std::size_t from, std::size_t count) {
  std::vector<std::int64_t> dims(count);
  for (std::size_t i = 0; i < count; ++i) dims[i] = from + i;
  return dims;
}
inline std::vector<std::int64_t> all_dimensions(Value x) { return dimension_range(0, x.rank()); }

inline std::vector<std::int64_t> inverse_permutation(Ints permutation) {
  std::vector<std::int64_t> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = i;
  return inverse;
}

}  // namespace weft::ir
