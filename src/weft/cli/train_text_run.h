// One run of `weft train text`.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <weft/cli/interrupt.h>
#include <weft/cli/progress.h>
#include <weft/cli/step_clock.h>
#include <weft/cli/train_text_options.h>
#include <weft/data/text_dataset.h>
#include <weft/train/checkpoint.h>
#include <weft/train/job.h>
#include <weft/train/text_trainer.h>

namespace weft::cli {

class TrainTextRun {
 public:
  // Opens what the options name. Throws Error for what cannot be used, before anything is trained or written.
  explicit TrainTextRun(const TrainTextOptions& options);

  // Trains, saves, validates and samples; prints the outcome. Returns the signal that ended it early, or 0.
  int run();

 private:
  void begin();
  void resume();
  void claim_folder();
  void check_plan();
  void train();
  void train_step();
  void finish_step();  // takes the oldest loss that is still under way
  void finish_steps();
  void validate();
  void save();
  std::string sample();
  bool stop_now() const;
  bool due(std::int64_t every) const { return every > 0 && step_ % every == 0 && step_ < last_step_; }
  double learning_rate() const { return job_ ? job_->learning_rate(step_) : config_.learning_rate(step_); }
  std::string status() const;
  nlohmann::json report(const std::optional<std::string>& sample);
  void print_summary(const std::optional<std::string>& sample) const;

  // Losses of this many steps may be under way: the device has work while the host reads the oldest.
  static constexpr std::size_t in_flight = 2;

  const TrainTextOptions& options_;
  std::optional<train::Job> job_;
  train::TextConfig config_;
  std::optional<data::TextDataset> text_;
  std::optional<train::TextTrainer> trainer_;
  std::optional<train::CheckpointFolder> folder_;
  train::Settings settings_;  // saved with the checkpoint: the config, the text's identity and the length of the run

  std::int64_t step_ = 0, last_step_ = 0;  // steps launched so far, of all runs; when to stop
  std::int64_t saved_step_ = -1;
  std::deque<Future<double>> pending_;
  std::vector<double> losses_;  // of this run
  std::optional<double> validation_loss_;
  StepClock clock_;
  std::chrono::steady_clock::time_point start_;
  double first_step_s_ = 0, record_us_ = 0;
  std::uint64_t nodes_per_step_ = 0, peak_bytes_planned_ = 0;
  std::int64_t recompiles_ = 0;  // of the step, after its first compile
  std::optional<Progress> progress_;
  Interrupt interrupt_;
};

}  // namespace weft::cli
