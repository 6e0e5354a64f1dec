// The parts of transformers' blocks. Linear weights are [out, in], as in PyTorch.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include <weft/nn/layers.h>
#include <weft/tensor/module.h>

namespace weft::nn {

// Attention of a sequence [batch, time, width] over itself, in `heads` parts of the width; causal: a place sees those up to it.
class SelfAttention : public Layer {
 public:
  SelfAttention(std::int64_t width, std::int64_t heads, bool causal, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x) const;
  void fields(auto&& field) {
    field("qkv", qkv);
    field("proj", proj);
  }

  Linear qkv, proj;
  std::int64_t heads;
  bool causal;
};

// Attention of a sequence [batch, time, width] over all of another, [batch, places, width].
class CrossAttention : public Layer {
 public:
  CrossAttention(std::int64_t width, std::int64_t heads, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x, const Tensor& memory) const;
  void fields(auto&& field) {
    field("query", query);
    field("key_value", key_value);
    field("proj", proj);
  }

  Linear query, key_value, proj;
  std::int64_t heads;
};

// Two layers with a GELU between them, four times as wide there; approximate_gelu: with tanh, as GPT-2.
class FeedForward : public Layer {
 public:
  FeedForward(std::int64_t width, bool approximate_gelu, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x) const;
  void fields(auto&& field) {
    field("up", up);
    field("down", down);
  }

  Linear up, down;
  bool approximate_gelu;
};

struct TransformerBlockOptions {
  std::int64_t width, heads;
  bool causal = false, approximate_gelu = false;
  double dropout = 0, norm_epsilon = 1e-5;
  DType parameters = DType::f32;  // type of parameters, residuals and norms
  DType compute = DType::f32;     // type of what attention and feed-forward get
};

// A pre-norm block, as GPT-2's and ViT's: adds to the residual the attention of its norm, then the feed-forward layer of its norm,
// each through dropout.
class TransformerBlock : public Layer {
 public:
  explicit TransformerBlock(const TransformerBlockOptions& options);
  Tensor operator()(const Tensor& x) const;  // [batch, time, width]
  void fields(auto&& field) {
    field("norm1", norm1);
    field("attention", attention);
    field("norm2", norm2);
    field("mlp", mlp);
    field("dropout", dropout);
  }

  // How many numbers the parameters of such a block are, without making one.
  static double parameter_count(double width);

  LayerNorm norm1;
  SelfAttention attention;
  LayerNorm norm2;
  FeedForward mlp;
  Dropout dropout;
  DType compute;
};

// GPT-2's initial weights: matrices normal with deviation 0.02, biases 0. The rest stays as it is.
void initialize_transformer(std::span<const NamedParameter> parameters, std::uint64_t seed);
// GPT-2's scale of the layers whose results are added to the residual: less by the root of how many are.
void lessen_residuals(std::initializer_list<Linear*> layers, std::int64_t additions);

}  // namespace weft::nn
