// The load of the machine between any two instants of a recording.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/profile/recording.h>

namespace weft::profile {

class LoadCurve {
 public:
  // `loads` must be sorted by time and outlive the curve.
  explicit LoadCurve(const std::vector<Load>& loads) : loads_(loads) {}

  // Returns by how much a figure grew, interpolating linearly between samples; 0 where nothing was sampled.
  double growth(std::uint64_t Load::* figure, std::uint64_t begin_ns, std::uint64_t end_ns) const;

 private:
  double at(std::uint64_t Load::* figure, std::uint64_t time_ns) const;

  const std::vector<Load>& loads_;
};

}  // namespace weft::profile
