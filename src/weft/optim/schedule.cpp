#include <weft/optim/schedule.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <weft/base/error.h>

namespace weft::optim {

namespace {

// Returns the fraction of the peak during warm-up; 1 afterwards.
double rise(std::int64_t step, std::int64_t warmup) {
  return step < warmup ? (step + 1) / static_cast<double>(warmup) : 1;
}

// Returns the position of a step between the end of the warm-up and the last step, from 0 to 1.
double progress(std::int64_t step, std::int64_t warmup, std::int64_t total) {
  return total <= warmup ? 1 : std::clamp((step - warmup) / static_cast<double>(total - warmup), 0.0, 1.0);
}

}  // namespace

double CosineSchedule::operator()(std::int64_t step) const {
  if (step < warmup) return peak * rise(step, warmup);
  return floor + (peak - floor) * 0.5 * (1 + std::cos(std::numbers::pi * progress(step, warmup, total)));
}

double LinearSchedule::operator()(std::int64_t step) const {
  if (step < warmup) return peak * rise(step, warmup);
  return floor + (peak - floor) * (1 - progress(step, warmup, total));
}

double StepSchedule::operator()(std::int64_t step) const {
  if (step < warmup) return peak * rise(step, warmup);
  return peak * std::pow(factor, static_cast<double>((step - warmup) / std::max<std::int64_t>(1, every)));
}

double ConstantSchedule::operator()(std::int64_t step) const { return peak * rise(step, warmup); }

double InverseRootSchedule::operator()(std::int64_t step) const {
  if (step < warmup) return peak * rise(step, warmup);
  return peak * std::sqrt(static_cast<double>(std::max<std::int64_t>(1, warmup)) / static_cast<double>(step + 1));
}

double PiecewiseSchedule::operator()(std::int64_t step) const {
  double value = first;
  for (const auto& [start, next] : changes)
    if (step >= start) value = next;
  return value;
}

Schedule joined(std::vector<Schedule> schedules, std::vector<std::int64_t> starts) {
  require(schedules.size() == starts.size() + 1, "joined: ", schedules.size(), " schedules need ",
          std::max<std::ptrdiff_t>(std::ssize(schedules) - 1, 0), " starts, of all but the first, got ", starts.size());
  require(std::ranges::is_sorted(starts), "joined: the starts must be in ascending order");
  return [schedules = std::move(schedules), starts = std::move(starts)](std::int64_t step) {
    const auto at = std::ranges::upper_bound(starts, step) - starts.begin();
    return schedules[at](at > 0 ? step - starts[at - 1] : step);
  };
}

Schedule product(std::vector<Schedule> schedules) {
  return [schedules = std::move(schedules)](std::int64_t step) {
    double value = 1;
    for (const Schedule& schedule : schedules) value *= schedule(step);
    return value;
  };
}

Schedule scaled(Schedule schedule, double factor) {
  return [schedule = std::move(schedule), factor](std::int64_t step) { return factor * schedule(step); };
}

Schedule repeated(Schedule schedule, std::int64_t period) {
  require(period > 0, "repeated: the period must be positive, got ", period);
  return [schedule = std::move(schedule), period](std::int64_t step) { return schedule(step % period); };
}

}  // namespace weft::optim
