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
  // The parts may be in any order, and may overlap.
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
    std::uint64_t sum = 0;
    for (const Interval& part : parts_) sums_.push_back(sum += part.end - part.begin);
  }

  const std::vector<Interval>& parts() const { return parts_; }

  // Returns the total length between two instants.
  std::uint64_t within(std::uint64_t begin, std::uint64_t end) const {
    return begin < end ? before(end) - before(begin) : 0;
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
    return Intervals(std::move(left));
  }

  Intervals intersect(const Intervals& other) const { return minus(minus(other)); }

 private:
  // Returns the total length before an instant.
  std::uint64_t before(std::uint64_t instant) const {
    const auto next = std::ranges::lower_bound(parts_, instant, {}, &Interval::begin);
    if (next == parts_.begin()) return 0;
    const auto last = std::prev(next);
    const std::uint64_t after = last->end - std::min(last->end, instant);
    return sums_[last - parts_.begin()] - after;
  }

  std::vector<Interval> parts_;
  std::vector<std::uint64_t> sums_;  // the total length of each part and the parts before it
};

}  // namespace weft::profile
