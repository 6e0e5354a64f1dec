// Sets of instants, as sorted intervals that do not touch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::profile {

struct Interval {
  std::uint64_t begin = 0, end = 0;
};

class Intervals {
 public:
  // In any order, overlapping or not.
  explicit Intervals(std::vector<Interval> parts = {}) {
    std::ranges::sort(parts, {}, &Interval::begin);
    for (const Interval& part : parts) {
      if (part.begin >= part.end) continue;
      if (!parts_.empty() && part.begin <= parts_.back().end) {
        parts_.back().end = std::max(parts_.back().end, part.end);
      } else {
        parts_.push_back(part);
      }
    }
  }

  const std::vector<Interval>& parts() const { return parts_; }

  // How much of it lies between two instants.
  std::uint64_t within(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t sum = 0;
    for (auto it = std::ranges::upper_bound(parts_, begin, {}, &Interval::end); it != parts_.end() && it->begin < end;
         ++it)
      sum += std::min(it->end, end) - std::max(it->begin, begin);
    return sum;
  }

  Intervals minus(const Intervals& other) const {
    std::vector<Interval> left;
    auto cut = other.parts_.begin();
    for (Interval part : parts_) {
      while (cut != other.parts_.end() && cut->end <= part.begin) ++cut;
      for (auto it = cut; it != other.parts_.end() && it->begin < part.end; ++it) {
        if (it->begin > part.begin) left.push_back({part.begin, it->begin});
        part.begin = std::max(part.begin, it->end);
        if (part.begin >= part.end) break;
      }
      if (part.begin < part.end) left.push_back(part);
    }
    Intervals result;
    result.parts_ = std::move(left);
    return result;
  }

  Intervals intersect(const Intervals& other) const { return minus(minus(other)); }

 private:
  std::vector<Interval> parts_;
};

}  // namespace weft::profile
