// Multi-head attention with PyTorch's names and layouts (torch.nn.MultiheadAttention, batch_first).
#pragma once

#include <cstdint>

#include <weft/nn/layers.h>

namespace weft::nn {

// Attention of queries [batch, queries, width] over keys and values [batch, keys, width], in `heads` parts of the width:
// in_proj_weight [3 width, width] holds the projections of query, key and value one after the other.
class MultiheadAttention : public Layer {
 public:
  MultiheadAttention(std::int64_t width, std::int64_t heads, DType dtype = DType::f32);

  // options.mask broadcasts to [batch, heads, queries, keys]; true or 0: is seen.
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
  std::int64_t heads;
};

// Booleans [batch, 1, 1, keys] for AttentionOptions::mask: true for the first lengths[i] keys of sample i.
Tensor padding_mask(const Tensor& lengths, std::int64_t keys);

}  // namespace weft::nn
