// A sequence of pseudorandom numbers determined by a key, for synthetic data. No gradients; not for cryptography.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include <weft/base/hash.h>

namespace weft {

class Draws {
 public:
  explicit Draws(std::uint64_t key) : key_(key) {}

  double uniform() { return (bits() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::int64_t between(std::int64_t low, std::int64_t high) {  // both bounds included
    const std::uint64_t count = high - low + 1;
    return low + static_cast<std::int64_t>(bits() % count);
  }
  double normal() {  // the Box-Muller method
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t bits() { return mix(mix(key_, ++drawn_), key_); }

  std::uint64_t key_, drawn_ = 0;
};

}  // namespace weft
