#include <apps/text/gpt.h>

#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>

namespace weft::text {

Gpt::Gpt(const GptConfig& config, std::uint64_t seed)
    : embed(config.vocabulary, config.width, config.parameters),
      position(config.context, config.width, config.parameters),
      norm(config.width, 1e-5, true, config.parameters),
      dropout(config.dropout),
      compute_(config.compute) {
  require(config.width % config.heads == 0, "Gpt: ", config.heads, " heads do not divide the width ", config.width);
  const nn::TransformerBlockOptions options{.width = config.width,
                                            .heads = config.heads,
                                            .causal = true,
                                            .approximate_gelu = true,
                                            .dropout = config.dropout,
                                            .parameters = config.parameters,
                                            .compute = config.compute};
  for (std::int64_t i = 0; i < config.layers; ++i) blocks.emplace_back(options);
  if (!config.tied) head.emplace(config.width, config.vocabulary, false, config.parameters);
  nn::initialize_transformer(named_parameters(*this), seed);
  for (nn::TransformerBlock& block : blocks)
    nn::lessen_residuals({&block.attention.proj, &block.mlp.down}, 2 * config.layers);
}

Tensor Gpt::hidden(const Tensor& tokens) const {
  Tensor x = dropout(embed(tokens) + position.weight);
  for (const nn::TransformerBlock& block : blocks) x = block(x);
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
  const double width = config.width;
  const double rows = (config.tied ? 1 : 2) * config.vocabulary + config.context + 2;  // with the final norm
  return rows * width + config.layers * nn::TransformerBlock::parameter_count(width);
}

}  // namespace weft::text
