// How long the device waits for the host between two training steps, for four ways to order a sync: the story of PyTorch/XLA's
// FetchTensorData (its issue #3434, pull requests #3457 and #4011), on one engine.
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
  double simulate_us = 0;  // 0: the CPU device; else a simulated one whose launches take so long
};

struct OverlapBar {
  std::string name;
  double gap_us_p50 = 0, gap_us_p99 = 0;  // of the device, between a launch's end and the next one's beginning
  double record_us = 0, sync_us = 0;      // of the host, in a step: median; without waiting for the device
  double wait_us = 0;                     // that, in a sync: too far ahead, or an order of sync that waits
  double steps_per_s = 0;
};

struct OverlapReport {
  std::string workload;
  std::uint64_t nodes = 0;  // of a step
  std::vector<OverlapBar> bars;
  struct Gap {
    std::uint64_t nodes;
    double gap_us;
  };
  std::vector<Gap> gap_by_nodes;                 // with logical ids, for chains of operations; median
  double host_us = 0, device_us = 0;             // of a step with logical ids
  double steady_state_over_max_host_device = 0;  // its time, over the longer of these
};

OverlapReport measure_overlap(const OverlapOptions& options);

}  // namespace weft::lab
