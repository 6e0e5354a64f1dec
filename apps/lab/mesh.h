// Measures the time of each operation in the training step of a ViT for several batch sizes: the op statistics of "Profiling a
// parallel ViT in JAX", on one device or with the batch divided among logical devices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <weft/profile/analysis.h>

namespace weft::lab {

struct MeshOptions {
  std::int64_t devices = 1;
  std::vector<std::int64_t> batches = {16, 128, 512};
  std::int64_t steps = 5;             // measured steps per batch size, after one that compiles
  std::filesystem::path output = {};  // folder for the profiles; empty: they are not kept
};

struct MeshRun {
  std::int64_t batch = 0;
  double compile_s = 0;     // 0: the program existed already
  double first_step_s = 0;  // time to record, compile and run it
  double loss = 0;
  std::string division;         // how the step is divided among the devices; empty: it is not
  std::size_t collectives = 0;  // in a step
  double sent_bytes = 0;        // by each device in a step
  profile::Recording recording;
  profile::Analysis analysis;

  double step_ms() const { return 1e-6 * analysis.median_step_ns(); }
  double images_per_s() const { return step_ms() > 0 ? 1e3 * batch / step_ms() : 0; }
  // The share of the device's busy time that collectives took.
  double collective_share() const;
  // Returns the fusion that took the most time; null if there is none.
  const profile::OpStats* largest_fusion() const;
  // Describes the result of an op and the origin of its sizes: f32[512,65,1536]: 512 = input 0 dim 0, ...
  std::string shape_of(const profile::OpStats& op) const;
};

struct MeshReport {
  std::int64_t parameters = 0;
  std::vector<MeshRun> runs;
};

// Runs the measurements; calls `done` after every step. Throws Error for a batch that does not divide among the devices.
MeshReport measure_mesh(const MeshOptions& options,
                        const std::function<void(std::int64_t batch, std::int64_t step, double ms)>& done = {});

}  // namespace weft::lab
