#include <weft/optim/strong_wolfe.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace weft::optim::detail {

namespace {

constexpr double least_decrease = 1e-4, largest_slope = 0.9;  // relative to the slope at the start

// Returns the minimum, within the bounds, of the cubic that has the losses and slopes of two points; the middle if there is none.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double low, double high) {
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at), square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const auto &left = a.at <= b.at ? a : b, &right = a.at <= b.at ? b : a;
  const double d2 = std::sqrt(square), share = (right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2);
  return std::min(std::max(right.at - (right.at - left.at) * share, low), high);
}

}  // namespace

LinePoint strong_wolfe(const std::function<LinePoint(double at)>& evaluate, const LinePoint& start, double first,
                       double unit, double tolerance_change, std::int64_t max_evaluations) {
  const auto decreases = [&](const LinePoint& p) {
    return !(p.loss > start.loss + least_decrease * p.at * start.slope);
  };
  const auto is_flat = [&](const LinePoint& p) { return std::abs(p.slope) <= -largest_slope * start.slope; };

  // Goes on until a point satisfies the conditions, or it and the one before enclose such a point.
  LinePoint before = start, now = evaluate(first);
  std::int64_t trials = 0;
  bool is_bracket = false;
  for (; trials < max_evaluations; ++trials) {
    is_bracket = !decreases(now) || (trials > 1 && now.loss >= before.loss);
    if (!is_bracket && is_flat(now)) return now;
    is_bracket = is_bracket || now.slope >= 0;
    if (is_bracket) break;
    const double next = cubic_minimum(before, now, now.at + 0.01 * (now.at - before.at), now.at * 10);
    before = std::exchange(now, evaluate(next));
  }
  std::array<LinePoint, 2> bracket{is_bracket ? before : start, now};

  std::size_t low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
  bool was_near_edge = false;
  for (; trials < max_evaluations; ++trials) {
    const double left = std::min(bracket[0].at, bracket[1].at), right = std::max(bracket[0].at, bracket[1].at);
    if ((right - left) * unit < tolerance_change) break;
    double at = cubic_minimum(bracket[0], bracket[1], left, right);
    // Points near the same edge again and again would hardly make the bracket smaller.
    const double margin = 0.1 * (right - left);
    const bool is_near_edge = std::min(right - at, at - left) < margin;
    const bool moves = is_near_edge && (was_near_edge || at >= right || at <= left);
    if (moves) at = std::abs(at - right) < std::abs(at - left) ? right - margin : left + margin;
    was_near_edge = is_near_edge && !moves;
    LinePoint p = evaluate(at);
    LinePoint& high = bracket[1 - low];
    if (!decreases(p) || p.loss >= bracket[low].loss) {
      high = std::move(p);
      low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
      continue;
    }
    if (is_flat(p)) return p;
    if (p.slope * (high.at - bracket[low].at) >= 0) high = bracket[low];
    bracket[low] = std::move(p);
  }
  return bracket[low];
}

}  // namespace weft::optim::detail
