#include <weft/profile/load_curve.h>

#include <algorithm>

namespace weft::profile {

double LoadCurve::growth(std::uint64_t Load::* figure, std::uint64_t begin_ns, std::uint64_t end_ns) const {
  return loads_.empty() ? 0 : std::max(0.0, at(figure, end_ns) - at(figure, begin_ns));
}

double LoadCurve::at(std::uint64_t Load::* figure, std::uint64_t time_ns) const {
  const auto after = std::ranges::upper_bound(loads_, time_ns, {}, &Load::time_ns);
  if (after == loads_.begin()) return loads_.front().*figure;
  if (after == loads_.end()) return loads_.back().*figure;
  const Load &low = *std::prev(after), &high = *after;
  const double share = (time_ns - low.time_ns) / static_cast<double>(high.time_ns - low.time_ns);
  const auto from = static_cast<double>(low.*figure), to = static_cast<double>(high.*figure);
  return from + share * (to - from);
}

}  // namespace weft::profile
