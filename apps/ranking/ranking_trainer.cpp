#include <apps/ranking/ranking_trainer.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/jit/compile.h>
#include <weft/optim/clip.h>
#include <weft/tensor/gradient.h>
#include <weft/train/training_step.h>

namespace weft::ranking {

double least_bytes(const RankingConfig& config) {
  // Tables have one number of state for each row, and no gradients.
  return sizeof(float) * (Dlrm::parameter_count(config) - (1 - config.load_factor) * Dlrm::table_elements(config));
}

std::optional<embed::TableSharding> sharding_named(std::string_view name) {
  using embed::TableSharding;
  if (name == "auto") return std::nullopt;
  const TableSharding kinds[] = {TableSharding::data_parallel, TableSharding::table_wise, TableSharding::column_wise,
                                 TableSharding::row_wise};
  const auto kind = std::ranges::find(kinds, name, [](TableSharding known) { return concat(known); });
  require(kind != std::end(kinds), "sharding must be auto, data_parallel, table_wise, column_wise or row_wise, got ",
          name);
  return *kind;
}

embed::TablePlan plan_of_tables(const RankingConfig& config, const Mesh& mesh, std::string_view sharding) {
  const std::vector<embed::EmbeddingBagConfig> tables = table_configs(config);
  embed::PlannerOptions options{.batch = config.batch, .states_per_element = 1.0 / static_cast<double>(config.width)};
  if (const auto kind = sharding_named(sharding)) {
    for (const embed::EmbeddingBagConfig& table : tables) options.allowed[table.name] = {*kind};
    options.least_columns = 1;  // what is asked for is tried
  }
  return embed::plan_tables(tables, mesh, {"data"}, options);
}

namespace {

bool is_table(const NamedParameter& named) { return named.parameter->sparse_update; }

std::vector<NamedParameter> parameters_that(Dlrm& model, bool are_tables) {
  std::vector<NamedParameter> found = named_parameters(model);
  std::erase_if(found, [are_tables](const NamedParameter& named) { return is_table(named) != are_tables; });
  return found;
}

Dlrm make_model(const RankingConfig& config, const train::Parallelism& parallelism,
                const std::optional<embed::ShardingPlan>& plan, const std::filesystem::path& table_folder) {
  parallelism.check(config.batch);
  Dlrm model(config, plan, table_folder);
  train::shard_parameters(parameters_that(model, false), parallelism, {});
  return model;
}

}  // namespace

RankingTrainer::RankingTrainer(const RankingConfig& config, const train::Parallelism& parallelism,
                               const std::optional<embed::ShardingPlan>& plan,
                               const std::filesystem::path& table_folder)
    : config_(config),
      parallelism_(parallelism),
      model_(make_model(config, parallelism, plan, table_folder)),
      dense_(parameters_that(model_, false), train::adamw_options(config)),
      tables_(parameters_that(model_, true), {.lr = config.table_lr}) {
  train::shard_state(dense_.state(), parallelism);
  if (model_.stored) model_.stored->keep(tables_.state());
  const auto whole = [&](const char* name) {
    return CompileOptions{.fullgraph = true, .mesh = parallelism.mesh, .name = name};
  };
  // Nothing else can run ahead of a step on tables in files, which are on one device.
  const bool reads_ahead = config.has_stored_tables() && config.step_schedule == "exact";
  const train::Schedule schedule = schedule_named(reads_ahead ? "prefetch" : config.step_schedule);
  const auto step = compile(Step([this](const RankingBatch& batch) { return update(batch); }), whole("training step"));
  pipeline_.emplace(step, train::PipelineOptions{.schedule = schedule});
  division_ = [step] { return step.explain({.remedies = false}).devices(); };
  logits_ = compile([this](const RankingBatch& batch) { return model_.logits(batch); }, whole("evaluation"));
}

RankingBatch RankingTrainer::divided(RankingBatch batch) const {
  if (!parallelism_.mesh) return batch;
  batch.ids = batch.ids.sharded("data", *parallelism_.mesh);
  for (Tensor* const part : {&batch.numbers, &batch.labels, &batch.weights})
    *part = train::divide_rows(*part, parallelism_);
  return batch;
}

// The dense layers are trained by AdamW, as in all recipes; the tables by row-wise Adagrad, without clipping.
Tensor RankingTrainer::update(const RankingBatch& batch) {
  const Tensor loss = model_.loss(batch);
  std::vector<Parameter*> parameters = dense_.parameters();
  const std::size_t dense_count = parameters.size();
  parameters.insert(parameters.end(), tables_.parameters().begin(), tables_.parameters().end());
  const std::vector<Tensor> gradients = grad(loss, parameters);
  const auto dense = std::span(gradients).first(dense_count);
  if (config_.clip > 0) {
    dense_.step(optim::clip_grad_norm(dense, config_.clip).gradients);
  } else {
    dense_.step(dense);
  }
  tables_.step(std::span(gradients).subspan(dense_count));
  return loss;
}

std::optional<Future<double>> RankingTrainer::step(const RankingBatch& batch, double learning_rate) {
  dense_.set_lr(learning_rate);
  tables_.set_lr(learning_rate / config_.lr * config_.table_lr);
  const std::optional<Tensor> loss = (*pipeline_)(prepared(batch));
  if (!loss) return std::nullopt;
  return loss->item_async();
}

std::optional<Future<double>> RankingTrainer::finish() {
  const std::optional<Tensor> loss = pipeline_->finish();
  if (!loss) return std::nullopt;
  return loss->item_async();
}

std::vector<float> RankingTrainer::logits(const RankingBatch& batch) {
  return logits_(prepared(batch)).to_vector<float>();
}

RankingBatch RankingTrainer::prepared(const RankingBatch& batch) {
  RankingBatch made = batch;
  if (model_.stored) made.stored = model_.stored->prepare(batch.ids);
  return made;
}

void RankingTrainer::open_tables() {
  if (model_.stored) model_.stored->open();
}

void RankingTrainer::save(const std::function<void()>& write) { model_.stored ? model_.stored->save(write) : write(); }

std::optional<embed::StoredRowStats> RankingTrainer::stored_rows() const {
  if (!model_.stored) return std::nullopt;
  return model_.stored->stats();
}

std::map<std::string, StateDict> RankingTrainer::state() {
  return {{"model", state_dict(model_)}, {"optimizer", state_dict(dense_)}, {"tables", state_dict(tables_)}};
}

void RankingTrainer::load(const train::Checkpoint& checkpoint) {
  const StateDict model = checkpoint.state("model"), dense = checkpoint.state("optimizer"),
                  tables = checkpoint.state("tables");
  load_state_dict(model_, model);
  load_state_dict(dense_, dense);
  load_state_dict(tables_, tables);
}

}  // namespace weft::ranking
