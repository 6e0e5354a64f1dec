// The last values of a series.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::runtime {

class Recent {
 public:
  static constexpr std::size_t window = 1024;

  void add(std::uint64_t value) { values_[count_++ % window] = value; }
  // Returns the values, the oldest first.
  std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> result;
    for (std::size_t i = count_ < window ? 0 : count_ - window; i < count_; ++i) result.push_back(values_[i % window]);
    return result;
  }

 private:
  std::array<std::uint64_t, window> values_{};
  std::size_t count_ = 0;
};

}  // namespace weft::runtime
