// The distribution of times: a few outliers affect neither the median nor the 10th and 90th percentiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::profile {

inline double milliseconds_of(double ns) { return 1e-6 * ns; }
inline double milliseconds_of(std::uint64_t ns) { return 1e-6 * ns; }

struct Spread {
  double least = 0, p10 = 0, median = 0, p90 = 0, greatest = 0;
};

// Returns zeros for no values. Percentiles are interpolated between values.
inline Spread spread_of(std::vector<std::uint64_t> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto at = [&values](double share) {
    const double place = share * (values.size() - 1);
    const std::size_t below = place;
    const double low = values[below];
    const double high = values[std::min(below + 1, values.size() - 1)];
    return low + (high - low) * (place - below);
  };
  return {.least = at(0), .p10 = at(0.1), .median = at(0.5), .p90 = at(0.9), .greatest = at(1)};
}

}  // namespace weft::profile
