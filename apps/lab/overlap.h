// Measures how long the device waits for the host between two training steps, for four orders of a sync: the history of
// PyTorch/XLA's FetchTensorData (its issue #3434, pull requests #3457 and #4011), on one engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::lab {

struct OverlapOptions {
  std::string model = "bert-large";
  std::int64_t width = 0, batch = 4, tokens = 32;
  std::int64_t steps = 20;
  std::int64_t device_threads = 1;
  // 0: the device of WEFT_DEVICE; otherwise a simulated one on which each launch takes this long.
  double simulate_us = 0;
};

struct OverlapBar {
  std::string name;
  // Idle time of the device between the end of a launch and the start of the next. On a GPU, which is profiled, by its own clock.
  double gap_us_p50 = 0, gap_us_p99 = 0;
  double record_us = 0, sync_us = 0;  // host time per step: median, without waiting for the device
  double wait_us = 0;  // host time waiting in a sync: because of run-ahead, or an order of the sync that waits
  double steps_per_s = 0;
};

struct OverlapReport {
  std::string workload;
  std::uint64_t nodes = 0;  // per step
  std::vector<OverlapBar> bars;
  struct Gap {
    std::uint64_t nodes;
    double gap_us;
  };
  std::vector<Gap> gap_by_nodes;                 // with logical ids, for chains of operations; median. Not on a GPU
  double host_us = 0, device_us = 0;             // per step with logical ids
  double steady_state_over_max_host_device = 0;  // step time divided by the larger of host_us and device_us
};

OverlapReport measure_overlap(const OverlapOptions& options);

}  // namespace weft::lab
