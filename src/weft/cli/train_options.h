// The options of all `weft train` commands.
#pragma once

#include <cstdint>
#include <string>

#include <weft/train/parallelism.h>
#include <weft/train/settings.h>

namespace CLI {
class App;
}

namespace weft::cli {

struct TrainOptions {
  std::string save, resume;  // checkpoint folders; empty: none
  train::Settings given;     // fields that a preset or a flag set: a resumed run must agree with them
  std::int64_t steps = 0;    // 0: the number of the preset, the job or the resumed run
  double minutes = 0;        // 0: no limit
  std::int64_t threads = 0;  // 0: the value of the knob
  // In steps. 0: twenty log lines per run; validation and saving only at the end.
  std::int64_t log_every = 0, val_every = 0, save_every = 0;
  std::string mesh;  // as given
  train::Parallelism parallelism;
  bool json = false;
};

// Declares the options on `command` and parses them into `options`, which must outlive it.
void declare_train_options(CLI::App& command, TrainOptions& options);

// Reads the mesh. Throws CLI::ValidationError if it is none, or if a batch of a new run does not divide.
void resolve_parallelism(TrainOptions& options, std::int64_t batch);

}  // namespace weft::cli
