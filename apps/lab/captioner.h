// Measures the training of a captioner with compile(), as in "Maximizing AI/ML Model Performance with PyTorch Compilation": with
// static shapes, with captions of changing length, and the time until the first steps are done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <apps/captioner/captioner_config.h>

namespace weft::lab {

struct CaptionerOptions {
  captioner::CaptionerConfig config;
  std::int64_t warm_up = 20, steps = 50;  // for each row, before and in the timed window
  std::string table = {};                 // the only table to measure; empty: all
  std::vector<std::string> rows = {};     // the rows to measure, by name, and nothing else; empty: all
  bool uses_kept_kernels = false;         // those of the user's cache, instead of an empty one
  std::int64_t train_steps = 0;           // training steps on shapes, to measure the accuracy of the captions; 0: none
};

struct CaptionerRow {
  std::string table, name;  // static, dynamic or warmup
  // In the timed window. The windows of a table alternate, a tenth at a time. nullopt if stopped before.
  std::optional<double> steps_per_s = {};
  // Relative to the first measured row of its table: steps_per_s, or the inverse time of the first steps in table warmup.
  std::optional<double> ratio = {};
  std::uint64_t recompiles_in_window = 0;
  // Duration of the warm-up: recording, compiling and running, with empty caches unless the row says otherwise.
  double first_steps_s = 0;
  std::vector<std::int64_t> lengths = {};  // padded length of the captions in each step, including the warm-up
};

// Compile times of the whole step: the minimum of a few compiles each.
struct CompileSeconds {
  double cold = 0, cached = 0, layers_2 = 0, layers_12 = 0;
};
struct GuardCost {
  double us_per_call = 0;  // cost of an ordinary call beyond a pinned call
  std::uint64_t tensors = 0;
};

// The measurements; incomplete if stopped.
struct CaptionerReport {
  std::vector<CaptionerRow> rows;
  std::optional<CompileSeconds> compile_s;
  std::optional<GuardCost> guards;
  std::optional<double> caption_accuracy;
};

// Runs the measurements. Calls `begins` with a description of each measurement before it starts, and `stopped` before every step;
// if it returns true, measuring ends. Clears the caches of the process, but not the user's cache on disk.
CaptionerReport measure_captioner(const CaptionerOptions& options,
                                  const std::function<void(const std::string& what)>& begins,
                                  const std::function<bool()>& stopped);

}  // namespace weft::lab
