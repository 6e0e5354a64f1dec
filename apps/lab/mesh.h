// Measures the time of each operation in the training step of a ViT for several batch sizes: the op statistics of "Profiling a
// parallel ViT in JAX", on one device or with the batch divided among logical devices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/profile/analysis.h>

namespace weft::lab {

struct MeshOptions {
  std::int64_t devices = 1;
  std::vector<std::int64_t> batches = {16, 128, 512};
  std::int64_t steps = 5;             // measured steps per batch size, after one that compiles
  std::filesystem::path output = {};  // folder for the profiles; empty: they are not kept
  bool variants = false;              // whether the last batch size is measured in other ways as well
};

struct MeshRun {
  std::int64_t batch = 0;
  double compile_s = 0;     // 0: the program existed already
  double first_step_s = 0;  // time to record, compile and run it
  double loss = 0;
  std::vector<std::string> joined;  // which collectives became one
  std::string division;             // how the step is divided among the devices; empty: it is not
  std::size_t collectives = 0;      // in a step; each may carry several tensors
  double sent_bytes = 0;            // by each device in a step
  profile::Recording recording;
  profile::Analysis analysis;

  double step_ms() const { return 1e-6 * analysis.median_step_ns(); }
  double communication_ms() const;  // in a step
  double exposed_share() const { return analysis.exposed_share(); }
  double images_per_s() const { return step_ms() > 0 ? 1e3 * batch / step_ms() : 0; }
  // The share of the device's busy time that collectives took.
  double collective_share() const;
  // Returns the fusion that took the most time; null if there is none.
  const profile::OpStats* largest_fusion() const;
  // Describes the result of an op and the origin of its sizes: f32[512,65,1536]: 512 = input 0 dim 0, ...
  std::string shape_of(const profile::OpStats& op) const;
};

// One way to train on the mesh.
struct MeshVariant {
  std::string name = {};
  bool overlap = true;        // collectives run beside computation
  std::int64_t zero = 0;      // as in train::Parallelism
  bool splits_model = false;  // the mesh divides the layers instead of the batch
  std::int64_t parts = 1;     // of the batch; the computation of one part can hide the collectives of another
};

struct MeshReport {
  std::int64_t parameters = 0;
  std::vector<MeshRun> runs;
  std::vector<std::pair<MeshVariant, MeshRun>> variants;

  // Returns the smallest batch size whose backward pass, two thirds of the computation, takes as long as the communication, so that it
  // could hide all of it. Computation is taken to be a linear function of the batch size; nullopt with fewer than two sizes.
  std::optional<double> crossover_batch() const;
};

std::size_t variant_count();  // that MeshOptions::variants adds

// Measures one way to train, for one batch size; calls `done` after every step.
MeshRun measure_step(const MeshOptions& options, const MeshVariant& variant, std::int64_t batch,
                     const std::function<void(std::int64_t step, double ms)>& done);

// Runs the measurements; calls `done` after every step. Throws Error for a batch that does not divide among the devices.
MeshReport measure_mesh(const MeshOptions& options,
                        const std::function<void(std::int64_t batch, std::int64_t step, double ms)>& done = {});

}  // namespace weft::lab
