#include <apps/text/text_trainer.h>

#include <apps/text/text_dataset.h>
#include <weft/base/error.h>
#include <weft/data/state_dict.h>
#include <weft/jit/compile.h>
#include <weft/tensor/creation.h>
#include <weft/train/training_step.h>

namespace weft::text {

GptConfig gpt_config(const TextConfig& config) {
  const DType wide = config.dtype == "f64" ? DType::f64 : DType::f32;
  return {.layers = config.layers,
          .width = config.width,
          .heads = config.heads,
          .context = config.context,
          .vocabulary = TextDataset::vocabulary,
          .tied = config.tied,
          .dropout = config.dropout,
          .parameters = wide,
          .compute = config.dtype == "bf16" ? DType::bf16 : wide};
}

double least_bytes(const TextConfig& config) {
  const GptConfig gpt = gpt_config(config);
  return train::least_bytes(Gpt::parameter_count(gpt), gpt.parameters,
                            {config.layers, config.batch, config.context, config.width}, gpt.compute);
}

namespace {

Gpt make_model(const TextConfig& config, const train::Parallelism& parallelism) {
  parallelism.check(config.batch);
  Gpt model(gpt_config(config), config.seed);
  train::shard_parameters(named_parameters(model), parallelism,
                          {{"blocks.*.mlp.up.*", "model"},
                           {"blocks.*.mlp.down.weight", {"", "model"}},
                           {"blocks.*.attention.proj.weight", {"", "model"}}});
  return model;
}

}  // namespace

TextTrainer::TextTrainer(const TextConfig& config, const train::Parallelism& parallelism)
    : config_(config),
      parallelism_(parallelism),
      model_(make_model(config, parallelism)),
      optimizer_(model_, train::adamw_options(config)) {
  train::shard_state(optimizer_.state(), parallelism);
  const auto whole = [&](const char* name) {
    return CompileOptions{.fullgraph = true, .mesh = parallelism.mesh, .name = name};
  };
  const auto update =
      compile([this](const Tensor& windows) { return train::update(optimizer_, config_, model_.loss(windows)); },
              whole("training step"));
  update_ = update;
  division_ = [update] { return update.explain({.remedies = false}).devices(); };
  loss_ = compile([this](const Tensor& windows) { return model_.loss(windows); }, whole("validation"));
  next_logits_ = compile([this](const Tensor& tokens, const Tensor& last) { return model_.next_logits(tokens, last); },
                         whole("sampling"));
}

Tensor TextTrainer::windows(std::span<const std::int32_t> tokens) const {
  const std::int64_t window = config_.context + 1;
  return train::divide_rows(from_span(tokens, {std::ssize(tokens) / window, window}), parallelism_);
}

Future<double> TextTrainer::step(std::int64_t step, std::span<const std::int32_t> tokens, double learning_rate) {
  train::begin_step(optimizer_, config_, step, learning_rate);
  return update_(windows(tokens)).item_async();
}

Future<double> TextTrainer::loss(std::span<const std::int32_t> tokens) {
  const train::Evaluation evaluation(model_);
  return loss_(windows(tokens)).item_async();
}

std::vector<float> TextTrainer::next_logits(std::span<const std::int32_t> tokens, std::int64_t length) {
  require(length >= 1 && length <= config_.context, "TextTrainer::next_logits: length ", length, " of ",
          config_.context);
  const std::int32_t last = length - 1;
  const train::Evaluation evaluation(model_);
  return next_logits_(from_span(tokens, {1, config_.context}), from_span(std::span(&last, 1), {})).to_vector<float>();
}

std::map<std::string, StateDict> TextTrainer::state() {
  return {{"model", state_dict(model_)}, {"optimizer", state_dict(optimizer_)}};
}

void TextTrainer::load(const train::Checkpoint& checkpoint) {
  const StateDict model = checkpoint.state("model"), optimizer = checkpoint.state("optimizer");
  load_state_dict(model_, model);
  load_state_dict(optimizer_, optimizer);
}

void TextTrainer::load_weights(const data::SafetensorsFile& weights) { load_state_dict(model_, data::load(weights)); }

}  // namespace weft::text
