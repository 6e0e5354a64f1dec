// Times of a run's steps, from when the device had made their results: its pace, however far ahead or behind the host is.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::cli {

class StepClock {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t warm_up = 3;  // steps that the median leaves out

  // What came between the last step and now (a validation, a save) is no step's time.
  void restart() { last_ = Clock::now(); }
  void step_done(Clock::time_point at) {
    ms_.push_back(std::chrono::duration<double, std::milli>(at - last_).count());
    last_ = at;
  }

  bool is_warm() const { return ms_.size() > warm_up; }
  const std::vector<double>& ms() const { return ms_; }
  double median_ms() const {  // 0: no step was done
    if (ms_.empty()) return 0;
    std::vector<double> sorted(ms_.size() > warm_up ? ms_.begin() + warm_up : ms_.end() - 1, ms_.end());
    std::ranges::sort(sorted);
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

 private:
  Clock::time_point last_ = Clock::now();
  std::vector<double> ms_;
};

}  // namespace weft::cli
