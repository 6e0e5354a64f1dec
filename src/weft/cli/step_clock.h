// Times of a run's steps, taken when their results arrive: the device's pace, however far ahead the host is.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::cli {

class StepClock {
 public:
  static constexpr std::size_t warm_up = 3;  // steps that the median leaves out

  // What came between the last step and now (a validation, a save) is no step's time.
  void restart() { last_ = Clock::now(); }
  void step_done() {
    const auto now = Clock::now();
    ms_.push_back(std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = now;
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
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::vector<double> ms_;
};

}  // namespace weft::cli
