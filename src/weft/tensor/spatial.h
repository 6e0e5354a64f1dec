// The argument type of functions of one, two or three spatial dimensions.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>

namespace weft {

// One number for all N spatial dimensions, or one for each: {height, width} or {depth, height, width}.
template <int N>
class Spatial {
 public:
  Spatial(std::integral auto all) { values_.fill(static_cast<std::int64_t>(all)); }  // NOLINT
  template <std::integral... Each>
    requires(N > 1 && sizeof...(Each) == N)
  Spatial(Each... each) : values_{static_cast<std::int64_t>(each)...} {}
  operator std::span<const std::int64_t>() const { return values_; }  // NOLINT
  std::int64_t operator[](std::integral auto i) const { return values_[i]; }

 private:
  std::array<std::int64_t, N> values_;
};
using Pair2d = Spatial<2>;

}  // namespace weft
