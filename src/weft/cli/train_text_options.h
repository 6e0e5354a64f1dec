// The options of `weft train text`.
#pragma once

#include <cstdint>
#include <string>

#include <weft/train/text_config.h>

namespace CLI {
class App;
}

namespace weft::cli {

struct TrainTextOptions {
  std::string file;            // the text
  std::string save, resume;    // checkpoint folders; empty: none
  std::string job, write_job;  // benchmark job to run, or to write
  std::string prompt, preset;
  train::TextConfig config;  // of a run that begins: preset, then flags
  train::Settings given;     // fields that a preset or a flag fixed: a resumed run must agree in these
  std::int64_t steps = 0;    // 0: as many as the job or the resumed run has
  double minutes = 0;        // 0: no limit
  std::int64_t threads = 0;  // 0: as the knob says
  std::int64_t log_every = 0, val_every = 0,
               save_every = 0;  // in steps; 0: twenty lines a run, validation and saving at its end
  std::int64_t sample = 0;      // bytes to generate at the end
  double temperature = 0.8;
  std::int64_t top_k = 40;  // 0: all bytes
  bool json = false;
};

// Declares the options on `command` and reads them into `options`, which must outlive it.
class TrainTextParser {
 public:
  TrainTextParser(CLI::App& command, TrainTextOptions& options);
  // What the command line means, after it was parsed. Throws CLI::ValidationError for options that do not fit together.
  void resolve();

 private:
  void declare_config();

  CLI::App& command_;
  TrainTextOptions& options_;
  train::TextConfig flags_;  // what the flags of its fields were given
};

}  // namespace weft::cli
