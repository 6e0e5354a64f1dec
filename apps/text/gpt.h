// GPT: a pre-norm transformer that predicts each token from those before it. Parameters are named and laid out as in PyTorch
// (linear weights are [out, in]): embed.weight, position.weight, blocks.0.norm1.weight, blocks.0.attention.qkv.weight, ...
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/nn/layers.h>
#include <weft/nn/transformer.h>

namespace weft::text {

struct GptConfig {
  std::int64_t layers = 6, width = 384, heads = 6, context = 256, vocabulary = 256;
  bool tied = false;  // the embedding is the output layer too
  double dropout = 0;
  DType parameters = DType::f32;  // type of parameters, residuals, norms and loss
  DType compute = DType::f32;     // type of matrix products: bf16 for mixed precision
};

class Gpt : public Layer {
 public:
  // With GPT-2's initial weights: normal with deviation 0.02, less by sqrt(2 layers) where a block adds to the residual; biases 0.
  Gpt(const GptConfig& config, std::uint64_t seed);

  // How many numbers the parameters of such a model are, without making one.
  static double parameter_count(const GptConfig& config);

  // The mean cross entropy of predicting tokens[:, 1:] from tokens[:, :-1], for integer tokens [batch, context + 1].
  Tensor loss(const Tensor& tokens) const;
  // The logits [batch, vocabulary] that follow place `at` (rank 0) of each row of tokens [batch, context].
  Tensor next_logits(const Tensor& tokens, const Tensor& at) const;

  void fields(auto&& field) {
    field("embed", embed);
    field("position", position);
    field("blocks", blocks);
    field("norm", norm);
    field("head", head);
    field("dropout", dropout);
  }

  nn::Embedding embed, position;
  std::vector<nn::TransformerBlock> blocks;
  nn::LayerNorm norm;
  std::optional<nn::Linear> head;  // none: tied
  nn::Dropout dropout;

 private:
  Tensor hidden(const Tensor& tokens) const;  // [batch, context, width], of parameter type
  Tensor logits(const Tensor& x) const;       // of parameter type

  DType compute_;
};

}  // namespace weft::text
