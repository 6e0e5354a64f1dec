// One run of `weft train text`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <apps/text/job.h>
#include <apps/text/text_dataset.h>
#include <apps/text/text_trainer.h>
#include <weft/cli/train_text_options.h>
#include <weft/cli/training_loop.h>

namespace weft::cli {

class TrainTextRun {
 public:
  // Opens the files and folders that the options name. Throws Error for unusable ones, before anything is trained or
  // written.
  explicit TrainTextRun(const TrainTextOptions& options);

  // Trains, saves, validates and samples; prints the result. Returns the signal that ended it early, or 0.
  int run();

 private:
  Training training();
  void begin();
  void resume();
  void load_batch(std::int64_t step);
  double learning_rate(std::int64_t step) const;
  std::optional<double> validation_loss();  // nullopt if interrupted
  std::string sample();
  nlohmann::json report(const std::optional<std::string>& sample);
  void print_summary(const std::optional<std::string>& sample) const;

  const TrainTextOptions& options_;
  std::optional<text::Job> job_;
  text::TextConfig config_;
  std::optional<text::TextDataset> text_;
  std::optional<text::TextTrainer> trainer_;
  TrainingLoop loop_;
  std::vector<std::int32_t> tokens_;  // of the next step
};

}  // namespace weft::cli
