// Random choices that are the same on every machine for the same seed. Not thread-safe.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include <weft/base/error.h>

namespace weft::fuzz {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  // Returns a number in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    WEFT_ASSERT(low <= high, "no number between ", low, " and ", high);
    return low + static_cast<std::int64_t>(engine_() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  std::size_t below(std::size_t count) { return between(0, count - 1); }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  double uniform(double low, double high) { return low + (high - low) * ((engine_() >> 11) * 0x1p-53); }
  template <class List>
  auto& pick(List&& list) {
    return list[below(std::size(list))];
  }
  template <class List>
  void shuffle(List& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weft::fuzz
