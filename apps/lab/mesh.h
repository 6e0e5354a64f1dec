// What a device spends the training step of a ViT on, and how that changes with the batch: the op statistics of "Profiling a
// parallel ViT in JAX", on one device.
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
  std::int64_t steps = 5;             // measured for each batch size, after one that compiles
  std::filesystem::path output = {};  // where the profiles stay; empty: nowhere
};

struct MeshRun {
  std::int64_t batch = 0;
  double compile_s = 0;     // 0: the program was known
  double first_step_s = 0;  // recording, compiling and running it
  double loss = 0;
  profile::Recording recording;
  profile::Analysis analysis;

  double step_ms() const { return 1e-6 * analysis.median_step_ns(); }
  double images_per_s() const { return step_ms() > 0 ? 1e3 * batch / step_ms() : 0; }
  // The fusion that took the most time; null: there is none.
  const profile::OpStats* largest_fusion() const;
  // An op's result, and where its sizes come from: f32[512,65,1536]: 512 = input 0 dim 0, ...
  std::string shape_of(const profile::OpStats& op) const;
};

struct MeshReport {
  std::int64_t parameters = 0;
  std::vector<MeshRun> runs;
};

// `done` is told of every step, of all batch sizes. Throws Error for a number of devices that is not there.
MeshReport measure_mesh(const MeshOptions& options,
                        const std::function<void(std::int64_t batch, std::int64_t step, double ms)>& done = {});

}  // namespace weft::lab
