// Learning rates by step, which is counted from 0: optimizer.set_lr(schedule(step)). A schedule is a function of the step; those below can
// be joined and multiplied:
//
//   const optim::Schedule schedule = optim::joined({optim::LinearSchedule{.peak = 0, .total = 100, .floor = 1e-3},
//                                                   optim::CosineSchedule{.peak = 1e-3, .total = 900}}, {100});
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace weft::optim {

using Schedule = std::function<double(std::int64_t step)>;

// Rises linearly over `warmup` steps (step 0 has peak / warmup), then follows half a cosine from peak to `floor` at
// step `total`.
struct CosineSchedule {
  double peak = 1e-3;
  std::int64_t warmup = 0, total = 1;
  double floor = 0;
  double operator()(std::int64_t step) const;
};

// The same, but with a linear change from peak to floor, which may be higher.
struct LinearSchedule {
  double peak = 1e-3;
  std::int64_t warmup = 0, total = 1;
  double floor = 0;
  double operator()(std::int64_t step) const;
};

// Multiplies the peak by `factor` after every `every` steps after the warm-up (PyTorch's StepLR; ExponentialLR with every = 1).
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

// peak / sqrt(step / warmup) after a linear warm-up, as for the first transformers.
struct InverseRootSchedule {
  double peak = 1e-3;
  std::int64_t warmup = 1;
  double operator()(std::int64_t step) const;
};

// `first`, and from each step of `changes` on, the number with it. (MultiStepLR, optax.piecewise_constant_schedule)
struct PiecewiseSchedule {
  double first = 1e-3;
  std::vector<std::pair<std::int64_t, double>> changes = {};  // in ascending order
  double operator()(std::int64_t step) const;
};

// Follows schedules[0] up to step starts[0], then schedules[1], which counts its steps from there, and so on. Throws Error unless there is
// one start fewer than schedules, in ascending order. (SequentialLR, optax.join_schedules)
Schedule joined(std::vector<Schedule> schedules, std::vector<std::int64_t> starts);

// The product of schedules: joined(...) with a warm-up, say. (ChainedScheduler)
Schedule product(std::vector<Schedule> schedules);
Schedule scaled(Schedule schedule, double factor);

// Starts again after every `period` steps. (CosineAnnealingWarmRestarts, of a CosineSchedule)
Schedule repeated(Schedule schedule, std::int64_t period);

}  // namespace weft::optim
