#include <weft/train/text_trainer.h>

#include <weft/base/error.h>
#include <weft/base/hash.h>
#include <weft/data/state_dict.h>
#include <weft/data/text_dataset.h>
#include <weft/jit/compile.h>
#include <weft/optim/clip.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/random.h>

namespace weft::train {

GptConfig gpt_config(const TextConfig& config) {
  const DType wide = config.dtype == "f64" ? DType::f64 : DType::f32;
  return {.layers = config.layers,
          .width = config.width,
          .heads = config.heads,
          .context = config.context,
          .vocabulary = data::TextDataset::vocabulary,
          .tied = config.tied,
          .dropout = config.dropout,
          .parameters = wide,
          .compute = config.dtype == "bf16" ? DType::bf16 : wide};
}

double least_bytes(const TextConfig& config) {
  const GptConfig gpt = gpt_config(config);
  const auto product = [](auto... factors) { return (static_cast<double>(factors) * ...); };
  constexpr int copies = 4;  // the weights, their gradients and AdamW's two moments
  const double state = product(copies, byte_size(gpt.parameters)) * Gpt::parameter_count(gpt);
  // Each block's input is kept for its backward pass.
  return state + product(config.layers, config.batch, config.context, config.width, byte_size(gpt.compute));
}

TextTrainer::TextTrainer(const TextConfig& config)
    : config_(config),
      model_(gpt_config(config), static_cast<std::uint64_t>(config.seed)),
      optimizer_(model_, {.lr = config.lr,
                          .beta1 = config.beta1,
                          .beta2 = config.beta2,
                          .epsilon = config.eps,
                          .weight_decay = config.weight_decay,
                          .decays = optim::is_matrix}) {
  const auto whole = [](const char* name) { return CompileOptions{.name = name, .fullgraph = true}; };
  update_ = compile([this](const Tensor& windows) { return update(windows); }, whole("training step"));
  loss_ = compile([this](const Tensor& windows) { return model_.loss(windows); }, whole("validation"));
  next_logits_ = compile([this](const Tensor& tokens, const Tensor& last) { return model_.next_logits(tokens, last); },
                         whole("sampling"));
}

Tensor TextTrainer::windows(std::span<const std::int32_t> tokens) const {
  const std::int64_t window = config_.context + 1;
  return from_span(tokens, {static_cast<std::int64_t>(tokens.size()) / window, window});
}

Tensor TextTrainer::update(const Tensor& windows) {
  const Tensor loss = model_.loss(windows);
  std::vector<Tensor> gradients = grad(loss, optimizer_.parameters());
  if (config_.clip > 0) gradients = optim::clip_grad_norm(gradients, config_.clip).gradients;
  optimizer_.step(gradients);
  return loss;
}

Future<double> TextTrainer::step(std::int64_t step, std::span<const std::int32_t> tokens, double learning_rate) {
  // The keys of a step's dropout follow from seed and step alone.
  random::default_generator() = {mix(static_cast<std::uint64_t>(config_.seed), static_cast<std::uint64_t>(step)), 0};
  optimizer_.set_lr(learning_rate);
  return update_(windows(tokens)).item_async();
}

Future<double> TextTrainer::loss(std::span<const std::int32_t> tokens) {
  set_training(model_, false);
  const Future<double> result = loss_(windows(tokens)).item_async();
  set_training(model_, true);
  return result;
}

std::vector<float> TextTrainer::next_logits(std::span<const std::int32_t> tokens, std::int64_t length) {
  require(length >= 1 && length <= config_.context, "TextTrainer::next_logits: length ", length, " of ",
          config_.context);
  const auto last = static_cast<std::int32_t>(length - 1);
  set_training(model_, false);
  const Tensor logits = next_logits_(from_span(tokens, {1, config_.context}), from_span(std::span(&last, 1), {}));
  set_training(model_, true);
  return logits.to_vector<float>();
}

void TextTrainer::load(const Checkpoint& checkpoint) {
  const StateDict model = checkpoint.state("model"), optimizer = checkpoint.state("optimizer");
  load_state_dict(model_, model);
  load_state_dict(optimizer_, optimizer);
}

void TextTrainer::load_weights(const data::SafetensorsFile& weights) { load_state_dict(model_, data::load(weights)); }

}  // namespace weft::train
