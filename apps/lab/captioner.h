// A captioner's training under compile(), in the ways of "Maximizing AI/ML Model Performance with PyTorch Compilation": with static
// shapes, with captions of changing length, and how long it takes until the first steps are done.
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
  std::int64_t warm_up = 20, steps = 50;  // of every row, before and in the timed window
  std::string table = {};                 // the only one; empty: all
  std::vector<std::string> rows = {};     // of it, by name; empty: all
  std::int64_t train_steps = 0;           // on shapes, for the accuracy of the captions; 0: none
};

struct CaptionerRow {
  std::string table, name;  // static, dynamic or warmup
  // In the timed window; the windows of a table are open in turns, a tenth at a time. None: it was stopped before.
  std::optional<double> steps_per_s = {};
  // To the first measured of its table: of steps_per_s, in warmup of the time of the first steps, inverted.
  std::optional<double> ratio = {};
  std::uint64_t recompiles_in_window = 0;
  // The warm-up: recording, compiling and running, from empty caches unless the row says otherwise.
  double first_steps_s = 0;
  std::vector<std::int64_t> lengths = {};  // of the captions, padded: of each step, those of the warm-up first
};

// Of the whole step: the least of a few compiles each.
struct CompileSeconds {
  double cold = 0, cached = 0, layers_2 = 0, layers_12 = 0;
};
struct GuardCost {
  double us_per_call = 0;  // what its call costs beyond a pinned one
  std::uint64_t tensors = 0;
};

// What was measured: all of it, unless it was stopped.
struct CaptionerReport {
  std::vector<CaptionerRow> rows;
  std::optional<CompileSeconds> compile_s;
  std::optional<GuardCost> guards;
  std::optional<double> caption_accuracy;
};

// `begins` is told what is measured next; `stopped` is asked before every step whether to leave it at what was measured. Empties the
// caches of the process; the user's cache on disk is left alone.
CaptionerReport measure_captioner(const CaptionerOptions& options,
                                  const std::function<void(const std::string& what)>& begins,
                                  const std::function<bool()>& stopped);

}  // namespace weft::lab
