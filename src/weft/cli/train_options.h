// The options that every `weft train` command has.
#pragma once

#include <cstdint>
#include <string>

#include <weft/train/settings.h>

namespace CLI {
class App;
}

namespace weft::cli {

struct TrainOptions {
  std::string save, resume;  // checkpoint folders; empty: none
  train::Settings given;     // fields that a preset or a flag fixed: a resumed run must agree in these
  std::int64_t steps = 0;    // 0: as many as the preset, the job or the resumed run has
  double minutes = 0;        // 0: no limit
  std::int64_t threads = 0;  // 0: as the knob says
  // In steps; 0: twenty lines a run, validation and saving at its end.
  std::int64_t log_every = 0, val_every = 0, save_every = 0;
  bool json = false;
};

// Declares them on `command` and reads them into `options`, which must outlive it.
void declare_train_options(CLI::App& command, TrainOptions& options);

}  // namespace weft::cli
