// Measures the times of steps from when the device computed their results, so the host may be any number of steps ahead
// or behind.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace weft::train {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class StepClock {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t warm_up = 3;  // steps that the median excludes
  static constexpr std::size_t together = 4;

  // Excludes the time since the last step (a validation, a save) from the next step.
  void restart() { last_ = Clock::now(); }
  void step_done(std::uint64_t made_ns) {  // made_ns: when the device computed the result, on the same clock
    const Clock::time_point at{std::chrono::nanoseconds(made_ns)};
    ms_.push_back(std::chrono::duration<double, std::milli>(at - last_).count());
    last_ = at;
  }

  bool is_warm() const { return ms_.size() > warm_up; }
  const std::vector<double>& ms() const { return ms_; }
  // Returns the median over means of `together` consecutive steps, because results of short steps arrive in bursts; 0
  // if no step is done.
  double median_ms() const {
    if (ms_.empty()) return 0;
    const std::span<const double> steps = is_warm() ? std::span(ms_).subspan(warm_up) : std::span(ms_).last(1);
    const std::size_t width = std::min(together, steps.size());
    std::vector<double> means;
    for (std::size_t i = 0; i + width <= steps.size(); ++i) {
      const auto window = steps.subspan(i, width);
      means.push_back(std::accumulate(window.begin(), window.end(), 0.0) / width);
    }
    std::ranges::sort(means);
    const std::size_t middle = means.size() / 2;
    return means.size() % 2 ? means[middle] : (means[middle - 1] + means[middle]) / 2;
  }

 private:
  Clock::time_point last_ = Clock::now();
  std::vector<double> ms_;
};

}  // namespace weft::train
