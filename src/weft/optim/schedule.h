// Learning rates by step, which is counted from 0: optimizer.set_lr(schedule(step)).
#pragma once

#include <cstdint>

namespace weft::optim {

// Rises linearly over `warmup` steps (step 0 has peak / warmup), then follows half a cosine from peak to `floor` at
// step `total`.
struct CosineSchedule {
  double peak = 1e-3;
  std::int64_t warmup = 0, total = 1;
  double floor = 0;
  double operator()(std::int64_t step) const;
};

// The same, but with a linear decay from peak to floor.
struct LinearSchedule {
  double peak = 1e-3;
  std::int64_t warmup = 0, total = 1;
  double floor = 0;
  double operator()(std::int64_t step) const;
};

// Multiplies the peak by `factor` after every `every` steps after the warm-up (PyTorch's StepLR).
struct StepSchedule {
  double peak = 1e-3;
  std::int64_t every = 1;
  double factor = 0.1;
  std::int64_t warmup = 0;
  double operator()(std::int64_t step) const;
};

struct ConstantSchedule {
  double peak = 1e-3;
  std::int64_t warmup = 0;
  double operator()(std::int64_t step) const;
};

}  // namespace weft::optim
