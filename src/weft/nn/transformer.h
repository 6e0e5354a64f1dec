// The parts of transformers' blocks. Linear weights are [out, in], as in PyTorch.
#pragma once

#include <cstdint>
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

// GPT-2's initial weights: matrices normal with deviation 0.02, biases 0. The rest stays as it is.
void initialize_transformer(std::span<const NamedParameter> parameters, std::uint64_t seed);

}  // namespace weft::nn
