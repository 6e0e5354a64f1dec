// The loop of a training run, whatever it trains: launches steps ahead of their losses, shows how far it came, validates and saves
// when that is due, stops on a signal, and reports the figures of its steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <weft/cli/interrupt.h>
#include <weft/cli/loss_chart.h>
#include <weft/cli/progress.h>
#include <weft/cli/train_options.h>
#include <weft/tensor/future.h>
#include <weft/tensor/module.h>
#include <weft/train/checkpoint.h>
#include <weft/train/step_clock.h>

namespace weft::cli {

// What is trained, as the loop needs it.
struct Training {
  std::function<void(std::int64_t step)> load_batch;
  std::function<Future<double>(std::int64_t step)> launch;  // a step on that batch: its loss
  std::function<std::optional<double>()> validate;          // the validation loss; none: an interrupt came first
  std::function<std::map<std::string, StateDict>()> state;  // the parts of a checkpoint
  std::function<std::int64_t()> items;                      // that a step trains on
  std::string unit;                                         // what they are: tokens
};

class TrainingLoop {
 public:
  // Of what is trained: `smaller` says which flags make a step need less memory.
  TrainingLoop(const TrainOptions& options, Training training, std::string smaller);

  // Throws Error for a bound from below on what a step takes that is more than there is.
  void require_memory(double needed) const;
  // Steps done before this run, and when to stop. Takes the checkpoint folder that the options name, for this process alone.
  void begin(std::int64_t step, std::int64_t last_step);
  // `settings` are saved with the checkpoints. Validation at the end is the caller's. A save that fails is a warning and is tried
  // again when the next one is due; if the last one fails, require_saved() says so.
  void train(const train::Settings& settings);
  void validate();
  void end_progress() { progress_.reset(); }

  std::int64_t step() const { return step_; }  // launched so far, of all runs
  std::int64_t last_step() const { return last_step_; }
  const std::vector<double>& losses() const { return losses_; }  // of this run
  const train::StepClock& clock() const { return clock_; }
  // The signal that ended the run early, 0 if none did.
  int signal() const { return interrupt_ ? interrupt_->signal() : 0; }
  // Throws Error if the state of the last step could not be saved.
  void require_saved() const;

  // What every run reports.
  nlohmann::json report() const;
  // "trained to step 7, loss 1.2345, validation loss 1.2346", a line that names the checkpoint, and a chart of the losses, where
  // there are these.
  std::string summary() const;

 private:
  void train_step();
  void check_plan();
  void finish_step();  // takes the oldest loss that is still under way
  void finish_steps();
  void save(const train::Settings& settings);
  void try_to_save(const train::Settings& settings);
  void begin_to_note_signals();
  bool stop_now() const;
  std::size_t ahead() const;
  double items_per_s() const;
  bool due(std::int64_t every) const { return every > 0 && step_ % every == 0 && step_ < last_step_; }
  std::string status() const;

  const TrainOptions& options_;
  Training training_;
  std::string smaller_;
  std::optional<train::CheckpointFolder> folder_;

  std::int64_t first_step_ = 0, step_ = 0, last_step_ = 0, saved_step_ = -1;
  std::string unsaved_;  // why the last step is not saved; empty: it is
  std::deque<Future<double>> pending_;
  std::vector<double> losses_;
  std::vector<ValidationLoss> validations_;
  train::StepClock clock_;
  std::chrono::steady_clock::time_point start_;
  double first_step_s_ = 0, record_us_ = 0;
  std::uint64_t nodes_per_step_ = 0, peak_bytes_planned_ = 0;
  std::int64_t recompiles_ = 0;  // of the step, after its first compile
  std::optional<Progress> progress_;
  // Lives from the end of the first step on: before, there is nothing to save.
  std::optional<Interrupt> interrupt_;
};

std::string digits(const char* format, double number);  // as printf writes it

}  // namespace weft::cli
