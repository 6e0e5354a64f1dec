#include <weft/optim/schedule.h>

#include <algorithm>
#include <cmath>
#include <numbers>

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

}  // namespace weft::optim
