#include <weft/nn/transformer.h>

#include <cmath>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>

namespace weft::nn {

namespace {

// Splits [batch, time, parts * width] into `parts` tensors [batch, heads, time, width / heads], stacked along a first
// axis.
Tensor split_heads(const Tensor& x, std::int64_t parts, std::int64_t heads) {
  const std::int64_t batch = x.size(0), time = x.size(1), width = x.size(2) / parts;
  return permute(reshape(x, {batch, time, parts, heads, width / heads}), {2, 0, 3, 1, 4});
}
// Joins [batch, heads, time, head width] to [batch, time, width].
Tensor join_heads(const Tensor& x) {
  return reshape(permute(x, {0, 2, 1, 3}), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

void require_heads(const char* layer, std::int64_t width, std::int64_t heads) {
  require(heads > 0 && width % heads == 0, layer, ": ", heads, " heads do not divide the width ", width);
}

}  // namespace

SelfAttention::SelfAttention(std::int64_t width, std::int64_t of, bool is_causal, DType dtype)
    : qkv(width, 3 * width, true, dtype), proj(width, width, true, dtype), heads(of), causal(is_causal) {
  require_heads("SelfAttention", width, heads);
}

Tensor SelfAttention::operator()(const Tensor& x) const {
  const Scope scope = enter();
  const Tensor split = split_heads(qkv(x), 3, heads);
  return proj(join_heads(scaled_dot_product_attention(split[0], split[1], split[2], {.causal = causal})));
}

CrossAttention::CrossAttention(std::int64_t width, std::int64_t of, DType dtype)
    : query(width, width, true, dtype),
      key_value(width, 2 * width, true, dtype),
      proj(width, width, true, dtype),
      heads(of) {
  require_heads("CrossAttention", width, heads);
}

Tensor CrossAttention::operator()(const Tensor& x, const Tensor& memory) const {
  const Scope scope = enter();
  const Tensor asked = split_heads(query(x), 1, heads), seen = split_heads(key_value(memory), 2, heads);
  return proj(join_heads(scaled_dot_product_attention(asked[0], seen[0], seen[1])));
}

FeedForward::FeedForward(std::int64_t width, bool approximate, DType dtype)
    : up(width, 4 * width, true, dtype), down(4 * width, width, true, dtype), approximate_gelu(approximate) {}

Tensor FeedForward::operator()(const Tensor& x) const {
  const Scope scope = enter();
  return down(gelu(up(x), approximate_gelu));
}

TransformerBlock::TransformerBlock(const TransformerBlockOptions& options)
    : norm1(options.width, options.norm_epsilon, true, options.parameters),
      attention(options.width, options.heads, options.causal, options.parameters),
      norm2(options.width, options.norm_epsilon, true, options.parameters),
      mlp(options.width, options.approximate_gelu, options.parameters),
      dropout(options.dropout),
      compute(options.compute) {}

Tensor TransformerBlock::operator()(const Tensor& x) const {
  const Scope scope = enter();
  const Tensor attended = x + dropout(attention(norm1(x).to(compute)));
  return attended + dropout(mlp(norm2(attended).to(compute)));
}

double TransformerBlock::parameter_count(double width) {
  return 12 * width * width + 13 * width;  // qkv, proj, up and down; their biases and two norms
}

void initialize_transformer(std::span<const NamedParameter> parameters, std::uint64_t seed) {
  random::Key key(seed);
  for (const NamedParameter& named : parameters) {
    const Type type = named.parameter->type();
    key = random::fold_in(key, 0);
    if (type.rank() == 2) *named.parameter = 0.02 * random::normal(key, type.dims(), type.dtype());
    if (named.name.ends_with(".bias")) *named.parameter = zeros(type.dims(), type.dtype());
  }
}

void lessen_residuals(std::initializer_list<Linear*> layers, std::int64_t additions) {
  for (Linear* layer : layers) layer->weight = (1 / std::sqrt(static_cast<double>(additions))) * layer->weight.tensor();
}

}  // namespace weft::nn
