// One run of `weft train ranking`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <apps/ranking/batches.h>
#include <apps/ranking/day_folder.h>
#include <apps/ranking/ranking_evaluation.h>
#include <apps/ranking/ranking_trainer.h>
#include <weft/cli/train_ranking_options.h>
#include <weft/cli/training_loop.h>

namespace weft::cli {

class TrainRankingRun {
 public:
  // Opens the files and folders that the options name. Throws Error for unusable ones, before anything is trained or
  // written.
  explicit TrainRankingRun(const TrainRankingOptions& options);

  // Trains, saves and evaluates; prints the result. Or writes generated days. Returns the signal that ended it early,
  // or 0.
  int run();

 private:
  Training training();
  void begin();
  void resume();
  void open_days();
  void start(std::int64_t step, std::int64_t last_step, const ranking::ReaderPosition& from);
  int write_days() const;
  void load_batch();
  std::map<std::string, StateDict> state();
  void note_skipped(const ranking::LoadedBatch& batch);
  std::optional<double> evaluate();  // nullopt if interrupted
  double hit_rate() const;           // of the rows that steps needed
  nlohmann::json report();
  void print_summary() const;

  const TrainRankingOptions& options_;
  ranking::RankingConfig config_;
  ranking::DaysOfRun days_;
  std::optional<embed::TablePlan> plan_;  // on a mesh
  std::optional<ranking::RankingTrainer> trainer_;
  TrainingLoop loop_;
  std::optional<ranking::BatchReader> batches_;
  ranking::LoadedBatch batch_;  // of the next step
  std::optional<ranking::Evaluation> evaluation_;
  embed::StoredRowStats evaluated_rows_;     // of tables in files, by evaluations
  std::optional<train::Progress> progress_;  // of the evaluation at the end
  std::int64_t skipped_ = 0;                 // malformed lines
  std::string first_skipped_;
};

}  // namespace weft::cli
