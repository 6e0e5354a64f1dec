#include <weft/nn/attention.h>

#include <weft/nn/init.h>
#include <weft/record/call.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>

namespace weft::nn {

MultiheadAttention::MultiheadAttention(std::int64_t width, std::int64_t with, DType dtype,
                                       std::optional<std::int64_t> kv)
    : out_proj(width, width, true, dtype), heads(with), kv_heads(kv.value_or(with)) {
  require(heads > 0 && width % heads == 0, "MultiheadAttention: ", heads, " heads do not divide the width ", width);
  require(kv_heads > 0 && heads % kv_heads == 0, "MultiheadAttention: ", kv_heads, " heads of keys and values do not ",
          "divide the ", heads, " heads");
  const std::int64_t rows = width + 2 * kv_heads * (width / heads);
  in_proj_weight = init::xavier_uniform({rows, width}, 1, dtype);
  in_proj_bias = zeros({rows}, dtype);
  out_proj.bias = zeros({width}, dtype);
}

Tensor MultiheadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const AttentionOptions& options) const {
  const Scope scope = enter();
  const std::int64_t width = in_proj_weight.type().size(1);
  for (const Tensor* x : {&query, &key, &value})
    require(x->rank() == 3 && x->size(2) == width, "MultiheadAttention: expected [batch, time, ", width, "], got ",
            x->type());
  const std::int64_t shared = kv_heads * (width / heads);
  const auto weights = split(in_proj_weight.tensor().to(query.dtype()), {width, shared, shared});
  const auto biases = split(in_proj_bias.tensor().to(query.dtype()), {width, shared, shared});
  const auto project = [&](const Tensor& x, std::size_t part) {  // [batch, heads or kv_heads, time, width / heads]
    const Tensor y = linear(x, weights[part], biases[part]);
    return transpose(reshape(y, {x.size(0), x.size(1), part == 0 ? heads : kv_heads, width / heads}), 1, 2);
  };
  AttentionOptions with = options;
  with.enable_gqa = kv_heads != heads;
  const Tensor mixed = scaled_dot_product_attention(project(query, 0), project(key, 1), project(value, 2), with);
  return out_proj(reshape(transpose(mixed, 1, 2), query.shape()));
}

Tensor RotaryEmbedding::operator()(const Operand& x, const Operand& positions) const {
  const Scope scope = enter();
  return rotary_embedding(x, positions, options);
}

Tensor RotaryEmbedding::operator()(const Operand& x) const {
  const Scope scope = enter();
  const record::Call call("RotaryEmbedding", x.where());
  call.require(!x.is_number() && x.tensor().rank() >= 2, "expected [..., time, width], got ",
               x.is_number() ? "a number" : concat(x.tensor().type()));
  return rotary_embedding(x, arange(x.tensor().size(-2)), options);
}

Tensor padding_mask(const Tensor& lengths, std::int64_t keys) {
  require(lengths.rank() == 1, "padding_mask: expected lengths [batch], got ", lengths.type());
  return arange(keys) < reshape(lengths, {lengths.size(0), 1, 1, 1});
}

}  // namespace weft::nn
