#include <apps/captioner/captioner_trainer.h>

#include <algorithm>

#include <apps/captioner/captioner_data.h>
#include <weft/jit/compile.h>
#include <weft/tensor/autocast.h>
#include <weft/tensor/creation.h>
#include <weft/train/training_step.h>

namespace weft::captioner {

double least_bytes(const CaptionerConfig& config) {
  const CaptionerSizes& sizes = config.sizes;
  return train::least_bytes(Captioner::parameter_count(sizes), DType::f32,
                            {sizes.encoder_layers, config.batch, sizes.places(), sizes.width}, DType::f32);
}

Tensor in_precision(const CaptionerConfig& config, const std::function<Tensor()>& compute) {
  if (config.dtype != "bf16") return compute();
  const Autocast scope;
  return compute();
}

namespace {

Captioner make_model(const CaptionerConfig& config, const train::Parallelism& parallelism) {
  parallelism.check(config.batch);
  Captioner model(config.sizes, config.seed);
  train::shard_parameters(
      named_parameters(model), parallelism,
      {{"*.mlp.up.*", "model"}, {"*.mlp.down.weight", {"", "model"}}, {"*.proj.weight", {"", "model"}}});
  return model;
}

}  // namespace

CaptionerTrainer::CaptionerTrainer(const CaptionerConfig& config, const train::Parallelism& parallelism)
    : config_(config),
      parallelism_(parallelism),
      padding_(padding_policy(config.padding, config.sizes.context)),
      model_(make_model(config, parallelism)),
      optimizer_(model_, train::adamw_options(config)) {
  train::shard_state(optimizer_.state(), parallelism);
  const auto whole = [this](const char* name) {
    CompileOptions options{.fullgraph = true, .mesh = parallelism_.mesh, .name = name};
    if (const Bucketing* lengths = padding_.buckets())
      options.recompile_limit = std::max(options.recompile_limit, static_cast<int>(lengths->sizes().size()));
    return options;
  };
  const auto update =
      compile([this](const CaptionBatch& batch) { return train::update(optimizer_, config_, loss_of(batch)); },
              whole("training step"));
  update_ = update;
  division_ = [update] { return update.explain({.remedies = false}).devices(); };
  loss_ = compile([this](const CaptionBatch& batch) { return loss_of(batch); }, whole("validation"));
  encode_ =
      compile([this](const Tensor& images) { return in_precision(config_, [&] { return model_.encoder(images); }); },
              whole("encoder"));
  next_token_ = compile(
      [this](const Tensor& memory, const Tensor& tokens, const Tensor& at) {
        return in_precision(config_, [&] { return model_.next_token(memory, tokens, at); });
      },
      whole("decoder"));
}

CaptionBatch CaptionerTrainer::divided(const CaptionBatch& batch) const {
  CaptionBatch result = batch;
  for (Tensor* const part : {&result.images, &result.tokens, &result.labels})
    *part = train::divide_rows(*part, parallelism_);
  // A program that is divided among devices is for one length.
  if (!parallelism_.mesh || padding_.buckets()) mark_lengths(result, padding_, config_.sizes.context);
  return result;
}

Tensor CaptionerTrainer::loss_of(const CaptionBatch& batch) const {
  return in_precision(config_, [&] { return model_.loss(batch.images, batch.tokens, batch.labels); });
}

Future<double> CaptionerTrainer::step(std::int64_t step, const CaptionBatch& batch, double learning_rate) {
  train::begin_step(optimizer_, config_, step, learning_rate);
  return update_(divided(batch)).item_async();
}

Future<double> CaptionerTrainer::loss(const CaptionBatch& batch) {
  const train::Evaluation evaluation(model_);
  return loss_(divided(batch)).item_async();
}

std::vector<std::vector<std::int32_t>> CaptionerTrainer::captions(const Tensor& images) {
  const auto rows = static_cast<std::size_t>(images.size(0)), length = static_cast<std::size_t>(config_.sizes.context);
  std::vector<std::vector<std::int32_t>> result(rows);
  std::vector<std::int32_t> tokens(rows * length, pad_token);
  for (std::size_t row = 0; row < rows; ++row) tokens[row * length] = start_token;
  const auto is_done = [](const auto& caption) { return !caption.empty() && caption.back() == end_token; };

  const train::Evaluation evaluation(model_);
  const Tensor memory = encode_(images);
  for (std::size_t at = 0; at < length && !std::ranges::all_of(result, is_done); ++at) {
    const auto place = static_cast<std::int32_t>(at);
    const Tensor next = next_token_(memory, from_vector(tokens, {images.size(0), config_.sizes.context}),
                                    from_span(std::span(&place, 1), {}));
    const std::vector<std::int32_t> chosen = next.to_vector<std::int32_t>();
    for (std::size_t row = 0; row < rows; ++row) {
      if (!is_done(result[row])) result[row].push_back(chosen[row]);
      if (at + 1 < length) tokens[row * length + at + 1] = chosen[row];
    }
  }
  return result;
}

std::map<std::string, StateDict> CaptionerTrainer::state() {
  return {{"model", state_dict(model_)}, {"optimizer", state_dict(optimizer_)}};
}

void CaptionerTrainer::load(const train::Checkpoint& checkpoint) {
  const StateDict model = checkpoint.state("model"), optimizer = checkpoint.state("optimizer");
  load_state_dict(model_, model);
  load_state_dict(optimizer_, optimizer);
}

}  // namespace weft::captioner
