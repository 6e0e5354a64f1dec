// The time that steps lose, by cause. Findings claim the time that they explain, so that no time is counted twice: claimed
// time, unclaimed time and computing time add up to the steps' time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <weft/profile/analysis.h>

namespace weft::profile {

// `idle` means that the device has nothing to do for none of the other causes; `communication` is busy time in which only collectives
// run; `copied` is computing time spent on copying memory.
enum class Loss : std::uint8_t {
  fallback,
  first_run,
  contention,
  stolen,
  validation,
  compile,
  checkpoint,
  hashing,
  input,
  communication,
  idle,
  copied,
};
inline constexpr std::size_t losses = 12;
std::string_view name(Loss loss);         // for machine-readable output
std::string_view description(Loss loss);  // for people: "compiling"

using LossParts = std::array<double, losses>;  // in ns

// Returns the losses of a period without `copied`. `disturbance` is the cause of gaps that are longer than usual: contention or
// stolen.
LossParts loss_parts(const Period& period, Loss disturbance);

struct Claimed {
  double startup_ns = 0;
  std::map<std::size_t, double> step_ns;  // indexed by step; steps that lost nothing are left out

  double per_step(std::size_t steps) const;         // mean per step
  double median_per_step(std::size_t steps) const;  // median of the steps
  void add(const Claimed& more);
};

class Losses {
 public:
  Losses(const Analysis& analysis, Loss disturbance);

  // Claims the whole unclaimed loss of this cause in the steps.
  Claimed claim(Loss loss);
  // Claims at most `ns` of the loss in the step of instant `time_ns`, when something was reported, and in the step before.
  Claimed claim(Loss loss, std::uint64_t time_ns, double ns);

  double mean_ns(Loss loss) const;  // of all steps, claimed or not
  double left_ns(Loss loss) const;  // mean of the unclaimed loss
  double copied_ns() const { return copied_ns_ / steps(); }

 private:
  double steps() const { return all_.size() > 1 ? all_.size() - 1 : 1; }
  double take(std::size_t period, Loss loss, double ns);

  std::vector<std::uint64_t> ends_;    // ends of the startup period and of the steps
  std::vector<LossParts> all_, left_;  // for the same periods
  double copied_ns_ = 0;
};

}  // namespace weft::profile
