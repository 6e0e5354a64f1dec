#include <weft/train/gpt.h>

#include <cmath>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>

namespace weft::train {

GptBlock::GptBlock(const GptConfig& config)
    : norm1(config.width, 1e-5, true, config.parameters),
      attention(config.width, config.heads, true, config.parameters),
      norm2(config.width, 1e-5, true, config.parameters),
      mlp(config.width, true, config.parameters),
      dropout(config.dropout),
      compute(config.compute) {}

Tensor GptBlock::operator()(const Tensor& x) const {
  const Scope scope = enter();
  const Tensor attended = x + dropout(attention(norm1(x).to(compute)));
  return attended + dropout(mlp(norm2(attended).to(compute)));
}

Gpt::Gpt(const GptConfig& config, std::uint64_t seed)
    : embed(config.vocabulary, config.width, config.parameters),
      position(config.context, config.width, config.parameters),
      norm(config.width, 1e-5, true, config.parameters),
      dropout(config.dropout),
      compute_(config.compute) {
  require(config.width % config.heads == 0, "Gpt: ", config.heads, " heads do not divide the width ", config.width);
  for (std::int64_t i = 0; i < config.layers; ++i) blocks.emplace_back(config);
  if (!config.tied) head.emplace(config.width, config.vocabulary, false, config.parameters);
  nn::initialize_transformer(named_parameters(*this), seed);
  const double residual_scale = 1 / std::sqrt(2.0 * static_cast<double>(config.layers));
  for (GptBlock& block : blocks) {
    for (Parameter* weight : {&block.attention.proj.weight, &block.mlp.down.weight})
      *weight = residual_scale * weight->tensor();
  }
}

Tensor Gpt::hidden(const Tensor& tokens) const {
  Tensor x = dropout(embed(tokens) + position.weight);
  for (const GptBlock& block : blocks) x = block(x);
  return norm(x);
}

Tensor Gpt::logits(const Tensor& x) const {
  const Tensor narrow = x.to(compute_);
  const Tensor result = head ? (*head)(narrow) : linear(narrow, embed.weight.tensor().to(compute_));
  return result.to(x.dtype());
}

Tensor Gpt::loss(const Tensor& tokens) const {
  require(tokens.rank() == 2 && tokens.size(1) == position.weight.type().size(0) + 1,
          "Gpt.loss: tokens must be [batch, ", position.weight.type().size(0) + 1, "], got ", tokens.type());
  return nn::cross_entropy(logits(hidden(slice(tokens, 1, 0, -1))), slice(tokens, 1, 1));
}

Tensor Gpt::next_logits(const Tensor& tokens, const Tensor& at) const { return logits(take(hidden(tokens), at, 1)); }

double Gpt::parameter_count(const GptConfig& config) {
  const auto width = static_cast<double>(config.width);
  const double block = 12 * width * width + 13 * width;  // qkv, proj, up, down; their biases and two norms
  const double rows =
      static_cast<double>((config.tied ? 1 : 2) * config.vocabulary + config.context + 2);  // with the last norm's
  return rows * width + static_cast<double>(config.layers) * block;
}

}  // namespace weft::train
