// The options of `weft train text`.
#pragma once

#include <cstdint>
#include <string>

#include <apps/text/text_config.h>
#include <weft/cli/train_options.h>

namespace CLI {
class App;
}

namespace weft::cli {

struct TrainTextOptions : TrainOptions {
  std::string file;            // the text
  std::string job, write_job;  // benchmark job to run, or to write
  std::string prompt, preset;
  text::TextConfig config;  // for a new run: preset, then flags
  std::int64_t sample = 0;  // bytes to generate at the end
  double temperature = 0.8;
  std::int64_t top_k = 40;  // 0: all bytes
};

// Declares the options on `command` and parses them into `options`, which must outlive the parser.
class TrainTextParser {
 public:
  TrainTextParser(CLI::App& command, TrainTextOptions& options);
  // Interprets the parsed command line. Throws CLI::ValidationError for options that contradict each other.
  void resolve();

 private:
  CLI::App& command_;
  TrainTextOptions& options_;
  text::TextConfig flags_;  // the values of the flags for its fields
};

}  // namespace weft::cli
