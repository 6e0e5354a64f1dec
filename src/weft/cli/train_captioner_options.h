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
  captioner::CaptionerConfig config;  // of a run that begins: preset, then flags
  std::int64_t workers = 1;           // threads that make batches
  std::int64_t pictures = 512;        // held-out ones to caption at the end
  std::int64_t examples = 48;         // of these, on the sheet
  std::string sheet = "captions";     // NAME.png and NAME.html
};

// Declares the options on `command` and reads them into `options`, which must outlive it.
class TrainCaptionerParser {
 public:
  TrainCaptionerParser(CLI::App& command, TrainCaptionerOptions& options);
  // What the command line means, after it was parsed. Throws CLI::ValidationError for options that do not fit together.
  void resolve();

 private:
  CLI::App& command_;
  TrainCaptionerOptions& options_;
  captioner::CaptionerConfig flags_;  // what the flags of its fields were given
};

}  // namespace weft::cli
