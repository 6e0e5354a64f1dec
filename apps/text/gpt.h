// GPT: a pre-norm transformer that predicts each token from the tokens before it. Parameters are named and laid out as in PyTorch
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
  bool tied = false;  // the embedding is also the output layer
  double dropout = 0;
  DType parameters = DType::f32;  // dtype of parameters, residuals, norms and loss
  DType compute = DType::f32;     // dtype of matrix products: bf16 for mixed precision
};

class Gpt : public Layer {
 public:
  // Sets GPT-2's initial weights: normal with standard deviation 0.02, divided by sqrt(2 layers) for weights that add to the
  // residual; biases are 0.
  Gpt(const GptConfig& config, std::uint64_t seed);

  // Returns the number of parameter elements of such a model, without creating one.
  static double parameter_count(const GptConfig& config);

  // Returns the mean cross entropy of predicting tokens[:, 1:] from tokens[:, :-1], for integer tokens [batch, context + 1].
  Tensor loss(const Tensor& tokens) const;
  // Returns the logits [batch, vocabulary] after position `at` (rank 0) of each row of tokens [batch, context].
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
  std::optional<nn::Linear> head;  // not present if tied
  nn::Dropout dropout;

 private:
  Tensor hidden(const Tensor& tokens) const;  // [batch, context, width], in the dtype of the parameters
  Tensor logits(const Tensor& x) const;       // in the dtype of the parameters

  DType compute_;
};

}  // namespace weft::text
