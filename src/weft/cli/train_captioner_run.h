// One run of `weft train captioner`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <apps/captioner/caption_evaluation.h>
#include <apps/captioner/captioner_data.h>
#include <apps/captioner/captioner_trainer.h>
#include <weft/base/status.h>
#include <weft/cli/train_captioner_options.h>
#include <weft/cli/training_loop.h>

namespace weft::cli {

class TrainCaptionerRun {
 public:
  // Opens the files and folders that the options name. Throws Error for unusable ones, before anything is trained or
  // written.
  explicit TrainCaptionerRun(const TrainCaptionerOptions& options);

  // Trains, saves, captions held-out images and writes the sheet; prints the result. Returns the signal that ended it
  // early, or 0.
  int run();

 private:
  Training training();
  void begin();
  void resume();
  void start(std::int64_t step, std::int64_t last_step);
  std::optional<double> validation_loss();  // nullopt if interrupted
  void evaluate();
  bool has_sheet() const { return config_.data == "shapes" && options_.pictures > 0; }
  std::string png() const { return options_.sheet + ".png"; }
  std::string html() const { return options_.sheet + ".html"; }
  void write_sheet();
  nlohmann::json report();
  void print_summary() const;

  const TrainCaptionerOptions& options_;
  captioner::CaptionerConfig config_;
  std::optional<captioner::CaptionerTrainer> trainer_;
  TrainingLoop loop_;
  std::optional<captioner::CaptionBatches> batches_;
  captioner::CaptionBatch batch_;  // of the next step
  std::optional<captioner::CaptionScore> score_;
  Status sheet_;  // fails if the sheet could not be written
};

}  // namespace weft::cli
