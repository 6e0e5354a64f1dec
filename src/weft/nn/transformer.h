// The building blocks of transformers. Linear weights are [out, in], as in PyTorch.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include <weft/nn/layers.h>
#include <weft/tensor/module.h>

namespace weft::nn {

// Attention of a sequence [batch, time, width] over itself, with `heads` heads. Causal: position i attends to positions
// 0 to i.
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

// Attention of a sequence [batch, time, width] over another sequence [batch, positions, width].
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

// Two linear layers with a GELU between them; the hidden layer has four times the width. approximate_gelu: uses tanh,
// as in GPT-2.
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
  DType parameters = DType::f32;  // dtype of parameters, residuals and norms
  DType compute = DType::f32;     // dtype of the inputs of attention and feed-forward
};

// A pre-norm block, as in GPT-2 and ViT: x += dropout(attention(norm1(x))), then x += dropout(mlp(norm2(x))).
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

  // Returns the number of parameter elements of such a block, without creating one.
  static double parameter_count(double width);

  LayerNorm norm1;
  SelfAttention attention;
  LayerNorm norm2;
  FeedForward mlp;
  Dropout dropout;
  DType compute;
};

// Sets GPT-2's initial weights: matrices are normal with standard deviation 0.02, biases are 0. Other parameters keep
// their values.
void initialize_transformer(std::span<const NamedParameter> parameters, std::uint64_t seed);
// Scales the layers whose results are added to the residual, as GPT-2 does: divides their weights by sqrt(additions).
void lessen_residuals(std::initializer_list<Linear*> layers, std::int64_t additions);

}  // namespace weft::nn
