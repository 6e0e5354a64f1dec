// A ranking model and its trainer. Functions do not wait for the device unless their comments say so. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <apps/ranking/batches.h>
#include <apps/ranking/dlrm.h>
#include <apps/ranking/ranking_config.h>
#include <weft/embed/planner.h>
#include <weft/optim/adam.h>
#include <weft/optim/row_wise.h>
#include <weft/tensor/future.h>
#include <weft/train/checkpoint.h>
#include <weft/train/parallelism.h>
#include <weft/train/pipeline.h>

namespace weft::ranking {

// Returns a lower bound on the bytes that a step of such a run needs, without planning it.
double least_bytes(const RankingConfig& config);

// Returns the kind of sharding that all tables shall have; nullopt for auto: the planner chooses. Throws Error, which
// starts with "sharding", for another name.
std::optional<embed::TableSharding> sharding_named(std::string_view name);
// Returns how the tables are divided among the devices of the mesh. Throws Error if they do not fit.
embed::TablePlan plan_of_tables(const RankingConfig& config, const Mesh& mesh, std::string_view sharding);

class RankingTrainer {
 public:
  // Makes a model with the initial weights of config.seed. `plan` says where the tables lie, if there is a mesh, and `table_folder` is for
  // the files of tables that are in files.
  // Throws Error, which starts with the setting, if the batch does not divide.
  RankingTrainer(const RankingConfig& config, const train::Parallelism& parallelism,
                 const std::optional<embed::ShardingPlan>& plan, const std::filesystem::path& table_folder = {});
  RankingTrainer(const RankingTrainer&) = delete;  // deleted because the optimizers refer to the model
  RankingTrainer& operator=(const RankingTrainer&) = delete;

  // Divides a batch among the devices. Thread-safe.
  RankingBatch divided(RankingBatch batch) const;

  // Trains on a batch that is divided. Returns the loss before the update, in nats, of the earliest step that has none
  // yet; nullopt while the pipeline fills.
  std::optional<Future<double>> step(const RankingBatch& batch, double learning_rate);
  // Launches the step that the pipeline still holds, and returns the next loss; nullopt if there are no more. All other
  // functions need it.
  std::optional<Future<double>> finish();

  // Returns the logits of a batch that is divided. Blocks until they are computed.
  std::vector<float> logits(const RankingBatch& batch);

  // Returns how the training step is divided among the devices, after the first step.
  std::string division() const { return division_(); }
  // Returns what is computed ahead, or why nothing is.
  std::string ahead() const { return pipeline_->explain({.remedies = false}); }
  std::uint64_t peak_bytes() const { return pipeline_->peak_bytes(); }

  // Returns the number of elements in the model, with rows that are in files.
  std::int64_t parameters() const { return static_cast<std::int64_t>(Dlrm::parameter_count(config_)); }

  // Opens the files of tables that are in files: after load(), or to begin anew. Throws Error if they have other rows.
  void open_tables();
  // Writes tables that are in files, and calls `write`, which is to write state().
  void save(const std::function<void()>& write);
  // Returns what has come and gone so far; nullopt if the tables are in memory.
  std::optional<embed::StoredRowStats> stored_rows() const;

  // Returns the current state of the model and the optimizers as the parts of a checkpoint.
  std::map<std::string, StateDict> state();
  // Throws Error, which names what does not fit; then nothing changes.
  void load(const train::Checkpoint& checkpoint);

 private:
  using Step = std::function<Tensor(const RankingBatch&)>;

  Tensor update(const RankingBatch& batch);
  RankingBatch prepared(const RankingBatch& batch);  // reads the rows that it needs

  RankingConfig config_;
  train::Parallelism parallelism_;
  Dlrm model_;
  optim::AdamW dense_;
  optim::RowWiseAdagrad tables_;
  std::optional<train::Pipeline<Step>> pipeline_;
  Step logits_;  // compiled
  std::function<std::string()> division_;
};

}  // namespace weft::ranking
