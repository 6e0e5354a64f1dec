// The loop of a training run for any model: launches steps ahead of their losses, shows the progress, validates and
// saves when due, stops on a signal, and reports the figures of its steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <weft/base/status.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/loss_chart.h>
#include <weft/cli/train_options.h>
#include <weft/tensor/future.h>
#include <weft/tensor/module.h>
#include <weft/train/agreement.h>
#include <weft/train/checkpoint.h>
#include <weft/train/progress.h>
#include <weft/train/step_clock.h>

namespace weft::cli {

// The operations of a model that the loop needs.
struct Training {
  std::function<void(std::int64_t step)> load_batch;
  // Takes the loaded batch for a step. Returns the loss of the earliest step that has none yet; nullopt while a
  // pipeline fills.
  std::function<std::optional<Future<double>>(std::int64_t step)> launch;
  // Launches what a pipeline still holds, and returns the next loss; nullopt if there are no more.
  std::function<std::optional<Future<double>>()> finish = [] { return std::nullopt; };
  std::function<std::optional<double>()> validate;          // returns the validation loss; nullopt if interrupted
  std::function<std::map<std::string, StateDict>()> state;  // returns the parts of a checkpoint
  // Calls `write`, which writes the state, before or after whatever else a checkpoint needs.
  std::function<void(const std::function<void()>& write)> save = [](const auto& write) { write(); };
  std::function<std::int64_t()> items;    // returns the number of items in a step
  std::function<std::string()> division;  // describes how a step is divided among devices; empty on one device
  std::string unit;                       // unit of the items: tokens
  // Returns the memory that a step needs at its peak, as planned, with what a pipeline computes ahead; 0 if nothing is.
  std::function<std::uint64_t()> ahead_bytes = [] { return std::uint64_t{0}; };
};

class TrainingLoop {
 public:
  // `smaller` names the flags that make a step need less memory.
  TrainingLoop(const TrainOptions& options, Training training, std::string smaller);

  // Throws Error if `needed`, a lower bound on the bytes of a step, exceeds the available memory.
  void require_memory(double needed) const;
  // Sets the number of steps already done and the last step. Locks the checkpoint folder that the options name for this
  // process.
  void begin(std::int64_t step, std::int64_t last_step);
  // Trains up to the last step. `settings` are saved with the checkpoints. The caller does the final validation. A
  // failed save is a warning and is repeated when the next one is due; if the last one fails, require_saved() throws.
  // If a batch cannot be loaded, completes the steps before it and saves them; then throws Error.
  void train(const train::Settings& settings);
  void validate();
  void end_progress() { progress_.reset(); }

  std::int64_t step() const { return step_; }  // number of steps launched so far, over all runs
  std::int64_t last_step() const { return last_step_; }
  const std::vector<double>& losses() const { return losses_; }  // of this run
  const train::StepClock& clock() const { return clock_; }
  // Returns the signal that ended the run early; 0 if none did. If several processes train, it is one on which they
  // have agreed.
  int signal() const { return agreement_ ? agreed_signal_ : own_signal(); }
  // Throws Error if the state of the last step could not be saved.
  void require_saved() const;

  // Returns the figures that every run reports.
  nlohmann::json report() const;
  // Returns "trained to step 7, loss 1.2345, validation loss 1.2346", a line that names the checkpoint, and a chart of
  // the losses; parts that do not exist are omitted.
  std::string summary() const;

 private:
  void train_step(const train::Settings& settings);
  [[noreturn]] void end_without_batch(const train::Settings& settings, const std::string& reason);
  void check_plan();
  void finish_step();  // takes the oldest pending loss
  void finish_steps();
  void save(const train::Settings& settings);
  void try_to_save(const train::Settings& settings);
  void begin_to_note_signals();
  bool stop_now();
  int own_signal() const { return interrupt_ ? interrupt_->signal() : 0; }
  std::size_t ahead() const;
  double items_per_s() const;
  std::int64_t done() const { return first_step_ + std::ssize(losses_); }  // steps whose losses are known
  bool due(std::int64_t every) const { return every > 0 && step_ % every == 0 && step_ < last_step_; }
  std::string status() const;

  const TrainOptions& options_;
  Training training_;
  std::string smaller_;
  std::filesystem::path folder_;                       // empty: nothing is saved
  std::optional<train::CheckpointFolder> saves_into_;  // in the first process, which writes for all
  std::optional<train::Agreement> agreement_;          // if several processes train
  int agreed_signal_ = 0;

  std::int64_t first_step_ = 0, step_ = 0, last_step_ = 0, saved_step_ = -1;
  Status last_save_;  // fails if the last step could not be saved
  std::deque<Future<double>> pending_;
  std::vector<double> losses_;
  std::vector<ValidationLoss> validations_;
  train::StepClock clock_;
  std::chrono::steady_clock::time_point start_;
  double first_step_s_ = 0, record_us_ = 0;
  std::uint64_t nodes_per_step_ = 0, peak_bytes_planned_ = 0;
  std::int64_t recompiles_ = 0;  // of the step, after its first compile
  std::optional<train::Progress> progress_;
  // Created at the end of the first step, because before that there is nothing to save.
  std::optional<Interrupt> interrupt_;
};

std::string digits(const char* format, double number);  // formats a number like printf

}  // namespace weft::cli
