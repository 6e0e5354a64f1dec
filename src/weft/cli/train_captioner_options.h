// The options of `weft train captioner`.
#pragma once

#include <cstdint>
#include <string>

#include <apps/captioner/captioner_config.h>
#include <weft/cli/train_options.h>

namespace CLI {
class App;
}

namespace weft::cli {

struct TrainCaptionerOptions : TrainOptions {
  std::string size;                   // preset; empty: small
  captioner::CaptionerConfig config;  // for a new run: preset, then flags
  std::int64_t workers = 1;           // threads that load batches
  std::int64_t pictures = 512;        // held-out images to caption at the end
  std::int64_t examples = 48;         // number of these images on the sheet
  std::string sheet = "captions";     // writes NAME.png and NAME.html
};

// Declares the options on `command` and parses them into `options`, which must outlive the parser.
class TrainCaptionerParser {
 public:
  TrainCaptionerParser(CLI::App& command, TrainCaptionerOptions& options);
  // Interprets the parsed command line. Throws CLI::ValidationError for options that contradict each other.
  void resolve();

 private:
  CLI::App& command_;
  TrainCaptionerOptions& options_;
  captioner::CaptionerConfig flags_;  // the values of the flags for its fields
};

}  // namespace weft::cli
