// Multi-head attention with PyTorch's names and layouts (torch.nn.MultiheadAttention, batch_first), and rotary embeddings.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/nn/layers.h>
#include <weft/tensor/rotary.h>

namespace weft::nn {

// Attention of queries [batch, queries, width] over keys and values [batch, keys, width], with `heads` heads.
// in_proj_weight [3 width, width] stacks the projections of query, key and value. With fewer `kv_heads`, which divide the heads, groups of
// heads share their keys and values (grouped-query attention): the projections of keys and values have kv_heads (width / heads) rows each.
class MultiheadAttention : public Layer {
 public:
  MultiheadAttention(std::int64_t width, std::int64_t heads, DType dtype = DType::f32,
                     std::optional<std::int64_t> kv_heads = {});

  // options.mask broadcasts to [batch, heads, queries, keys]; true or 0 marks a visible key.
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionOptions& options = {}) const;
  Tensor operator()(const Tensor& x, const AttentionOptions& options = {}) const { return (*this)(x, x, x, options); }
  void fields(auto&& field) {
    field("in_proj_weight", in_proj_weight);
    field("in_proj_bias", in_proj_bias);
    field("out_proj", out_proj);
  }

  Parameter in_proj_weight, in_proj_bias;
  Linear out_proj;
  std::int64_t heads, kv_heads;
};

// Rotates the queries or keys [..., time, width] of each head by their positions (tensor/rotary.h). It has no parameters.
class RotaryEmbedding : public Layer {
 public:
  explicit RotaryEmbedding(RotaryOptions with = {}) : options(with) {}
  Tensor operator()(const Operand& x, const Operand& positions) const;
  Tensor operator()(const Operand& x) const;  // positions 0, 1, ...
  void fields(auto&&) {}

  RotaryOptions options;
};

// Returns booleans [batch, 1, 1, keys] for AttentionOptions::mask: true for the first lengths[i] keys of sample i.
Tensor padding_mask(const Tensor& lengths, std::int64_t keys);

}  // namespace weft::nn
