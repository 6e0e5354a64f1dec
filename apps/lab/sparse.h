// Measures the schedules of a training step with embedding tables: the benchmark of TorchRec's train pipelines, whose tables are divided among
// devices with a link between them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <apps/lab/schedule_simulation.h>
#include <apps/lab/sparse_cases.h>

namespace weft::lab {

// The defaults fit on a laptop. `full()` is the benchmark itself.
struct SparseOptions {
  std::int64_t devices = 2, tables = 16, rows = 20'000, width = 64;  // half of the tables have weights for their ids
  std::int64_t batch = 1024, ids = 10;                               // samples of a device; ids of a bag, on average
  std::int64_t hidden = 256, layers = 3;                             // of the dense part
  std::int64_t steps = 20;
  double link_gb = 0.5, latency_us = 50;  // of the link that collectives wait for
  std::filesystem::path output = {};      // folder for the profiles of the schedules; empty: they are not kept

  static SparseOptions full();
};

// One schedule, trained for the same steps from the same start.
struct SparseRun {
  std::string schedule;
  double step_ms_p50 = 0, step_ms_p90 = 0;
  double communication_ms = 0, exposed_ms = 0;  // in a step; exposed: the devices compute nothing meanwhile
  double idle_share = 0;                        // of the time in which the devices have no work at all
  std::uint64_t peak_bytes = 0;                 // as planned
  bool is_equal = false;         // all losses, parameters and states have the bits of the steps one after the other
  std::int64_t stale_steps = 0;  // how many updates tables lack when they are read
  std::string told;              // what is computed ahead
  SimulatedSchedule simulated;
};

struct SparseReport {
  double sequential_ms = 0;  // a step, without a pipeline
  // The time that the busiest of computation and communication takes in a step: no schedule is faster.
  double bound_ms = 0;
  std::uint64_t table_bytes = 0;
  std::vector<SparseRun> runs;
  std::vector<SparseCase> cases;

  const SparseRun* sparse_dist() const;
};

// `done` is called after each step, with the schedule.
SparseReport measure_sparse(const SparseOptions& options, const std::function<void(const std::string& schedule)>& done);
// The number of steps that it makes.
std::int64_t sparse_step_count(const SparseOptions& options);

}  // namespace weft::lab
