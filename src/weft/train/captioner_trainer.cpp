#include <weft/train/captioner_trainer.h>

#include <algorithm>

#include <weft/base/hash.h>
#include <weft/jit/compile.h>
#include <weft/optim/clip.h>
#include <weft/tensor/autocast.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/random.h>

namespace weft::train {

double least_bytes(const CaptionerConfig& config) {
  const auto product = [](auto... factors) { return (static_cast<double>(factors) * ...); };
  constexpr int copies = 4;  // the weights, their gradients and AdamW's two moments
  const CaptionerSizes& sizes = config.sizes;
  const double state = product(copies, sizeof(float)) * Captioner::parameter_count(sizes);
  // Each block's input is kept for its backward pass.
  return state + product(sizes.encoder_layers, config.batch, sizes.places(), sizes.width, sizeof(float));
}

CaptionerTrainer::CaptionerTrainer(const CaptionerConfig& config)
    : config_(config),
      model_(config.sizes, static_cast<std::uint64_t>(config.seed)),
      optimizer_(model_, {.lr = config.lr,
                          .beta1 = config.beta1,
                          .beta2 = config.beta2,
                          .epsilon = config.eps,
                          .weight_decay = config.weight_decay,
                          .decays = optim::is_matrix}) {
  const auto whole = [](const char* name) { return CompileOptions{.name = name, .fullgraph = true}; };
  update_ = compile([this](const data::CaptionBatch& batch) { return update(batch); }, whole("training step"));
  loss_ = compile([this](const data::CaptionBatch& batch) { return loss_of(batch); }, whole("validation"));
  encode_ = compile([this](const Tensor& images) { return in_precision([&] { return model_.encoder(images); }); },
                    whole("encoder"));
  next_token_ =
      compile([this](const Tensor& memory, const Tensor& tokens,
                     const Tensor& at) { return in_precision([&] { return model_.next_token(memory, tokens, at); }); },
              whole("decoder"));
}

Tensor CaptionerTrainer::in_precision(const std::function<Tensor()>& compute) const {
  if (config_.dtype != "bf16") return compute();
  const Autocast scope;
  return compute();
}

Tensor CaptionerTrainer::loss_of(const data::CaptionBatch& batch) const {
  return in_precision([&] { return model_.loss(batch.images, batch.tokens, batch.labels); });
}

Tensor CaptionerTrainer::update(const data::CaptionBatch& batch) {
  const Tensor loss = loss_of(batch);
  std::vector<Tensor> gradients = grad(loss, optimizer_.parameters());
  if (config_.clip > 0) gradients = optim::clip_grad_norm(gradients, config_.clip).gradients;
  optimizer_.step(gradients);
  return loss;
}

Future<double> CaptionerTrainer::step(std::int64_t step, const data::CaptionBatch& batch, double learning_rate) {
  // The keys of a step's dropout follow from seed and step alone.
  random::default_generator() = {mix(static_cast<std::uint64_t>(config_.seed), static_cast<std::uint64_t>(step)), 0};
  optimizer_.set_lr(learning_rate);
  return update_(batch).item_async();
}

Future<double> CaptionerTrainer::loss(const data::CaptionBatch& batch) {
  set_training(model_, false);
  const Future<double> result = loss_(batch).item_async();
  set_training(model_, true);
  return result;
}

std::vector<std::vector<std::int32_t>> CaptionerTrainer::captions(const Tensor& images) {
  const auto rows = static_cast<std::size_t>(images.size(0)), length = static_cast<std::size_t>(config_.sizes.context);
  std::vector<std::vector<std::int32_t>> result(rows);
  std::vector<std::int32_t> tokens(rows * length, data::pad_token);
  for (std::size_t row = 0; row < rows; ++row) tokens[row * length] = data::start_token;
  const auto is_done = [](const auto& caption) { return !caption.empty() && caption.back() == data::end_token; };

  set_training(model_, false);
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
  set_training(model_, true);
  return result;
}

void CaptionerTrainer::load(const Checkpoint& checkpoint) {
  const StateDict model = checkpoint.state("model"), optimizer = checkpoint.state("optimizer");
  load_state_dict(model_, model);
  load_state_dict(optimizer_, optimizer);
}

}  // namespace weft::train
