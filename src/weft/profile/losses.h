// What steps lose, and to what. Findings claim what they explain, so that no time is counted twice: what they claimed, what nobody
// claimed and the time of computing add up to the steps' time.
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

// idle: the device has nothing to do, and none of the others says why. copied: time of computing that went to copies of memory.
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
  idle,
  copied,
};
inline constexpr std::size_t losses = 11;
std::string_view name(Loss loss);         // for programs
std::string_view description(Loss loss);  // for people: "compiling"

using LossParts = std::array<double, losses>;  // in ns

// `disturbance`: what gaps go to that are longer than usual, contention or stolen. Without copied.
LossParts loss_parts(const Period& period, Loss disturbance);

struct Claimed {
  double startup_ns = 0;
  std::map<std::size_t, double> step_ns;  // by the step's index; 0 is left out

  double per_step(std::size_t steps) const;         // the mean
  double median_per_step(std::size_t steps) const;  // the median of the steps
  void add(const Claimed& more);
};

class Losses {
 public:
  Losses(const Analysis& analysis, Loss disturbance);

  // Claims all that is left of what the steps lost to it.
  Claimed claim(Loss loss);
  // Claims at most ns of what was lost in the step of that instant, when something was reported, and in the step before.
  Claimed claim(Loss loss, std::uint64_t time_ns, double ns);

  double mean_ns(Loss loss) const;  // of all steps, claimed or not
  double left_ns(Loss loss) const;  // the mean of what nobody has claimed
  double copied_ns() const { return copied_ns_ / steps(); }

 private:
  double steps() const { return static_cast<double>(all_.size() > 1 ? all_.size() - 1 : 1); }
  double take(std::size_t period, Loss loss, double ns);

  std::vector<std::uint64_t> ends_;    // of startup and of the steps
  std::vector<LossParts> all_, left_;  // the same periods
  double copied_ns_ = 0;
};

}  // namespace weft::profile
