#include <weft/train/recipe.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <weft/base/error.h>

namespace weft::train {

void check_size(const char* name, std::int64_t size) {
  constexpr std::int64_t most = std::int64_t{1} << 24;  // chosen with a wide margin
  require(size > 0, name, " must be positive, got ", size);
  require(size <= most, name, " must be at most ", most, ", got ", size);
}

void Recipe::check() const {
  check_size("batch", batch);
  require(std::isfinite(lr) && lr > 0, "lr must be positive, got ", lr);
  require(warmup >= 0, "warmup must not be negative, got ", warmup);
  require(decay_steps > 0, "decay_steps must be positive, got ", decay_steps);
  require(beta1 >= 0 && beta1 < 1, "beta1 must be at least 0 and less than 1, got ", beta1);
  require(beta2 >= 0 && beta2 < 1, "beta2 must be at least 0 and less than 1, got ", beta2);
  require(std::isfinite(eps) && eps > 0, "eps must be positive, got ", eps);
  require(std::isfinite(weight_decay) && weight_decay >= 0, "weight_decay must not be negative, got ", weight_decay);
  require(std::isfinite(clip) && clip >= 0, "clip must not be negative, got ", clip);
  require(seed >= 0, "seed must not be negative, got ", seed);
}

double Recipe::learning_rate(std::int64_t step) const {
  if (step < warmup) return lr * (step + 1) / warmup;
  const double length = std::max<std::int64_t>(1, decay_steps - warmup);
  const double progress = std::min(1.0, (step - warmup) / length);
  return lr * (0.1 + 0.45 * (1 + std::cos(std::numbers::pi * progress)));
}

void Recipe::fit_schedule(std::int64_t steps) {
  decay_steps = steps;
  warmup = std::min(warmup, std::max<std::int64_t>(1, steps / 10));
}

}  // namespace weft::train
