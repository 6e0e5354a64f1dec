#include <weft/nn/layers.h>

#include <weft/nn/parameters.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>

namespace weft::nn {

using detail::initial;
using detail::like;

Linear::Linear(std::int64_t in, std::int64_t out, bool with_bias, DType dtype) : weight(initial({out, in}, in, dtype)) {
  if (with_bias) bias = initial({out}, in, dtype);
}

Tensor Linear::operator()(const Operand& x) const {
  const Scope scope = enter();
  return bias ? linear(x, like(weight, x), like(*bias, x)) : linear(x, like(weight, x));
}

Embedding::Embedding(std::int64_t rows, std::int64_t width, DType dtype)
    : weight(init::normal({rows, width}, 0, 1, dtype)) {}

Tensor Embedding::operator()(const Operand& indices) const {
  const Scope scope = enter();
  return embedding({weight, indices.where()}, indices);
}

Bilinear::Bilinear(std::int64_t left, std::int64_t right, std::int64_t out, bool with_bias, DType dtype)
    : weight(initial({out, left, right}, left, dtype)) {
  if (with_bias) bias = initial({out}, left, dtype);
}

Tensor Bilinear::operator()(const Operand& a, const Operand& b) const {
  const Scope scope = enter();
  return bias ? bilinear(a, b, like(weight, a), like(*bias, a)) : bilinear(a, b, like(weight, a));
}

PReLU::PReLU(std::int64_t channels, double slope, DType dtype) : weight(full({channels}, slope, dtype)) {}

Tensor PReLU::operator()(const Operand& x) const {
  const Scope scope = enter();
  return prelu(x, weight);
}

LayerNorm::LayerNorm(std::int64_t width, double by, bool with_bias, DType dtype)
    : LayerNorm(Shape{width}, by, with_bias, dtype) {}

LayerNorm::LayerNorm(const Shape& shape, double by, bool with_bias, DType dtype)
    : weight(ones(shape, dtype)), epsilon(by) {
  if (with_bias) bias = zeros(shape, dtype);
}

Tensor LayerNorm::operator()(const Operand& x) const {
  const Scope scope = enter();
  return bias ? layer_norm(x, weight, *bias, epsilon) : layer_norm(x, weight, epsilon);
}

RMSNorm::RMSNorm(std::int64_t width, double by, DType dtype) : weight(ones({width}, dtype)), epsilon(by) {}

Tensor RMSNorm::operator()(const Operand& x) const {
  const Scope scope = enter();
  return rms_norm(x, weight, epsilon);
}

namespace {

double checked_probability(const char* layer, double probability) {
  require(probability >= 0 && probability < 1, layer, ": the probability must lie in [0, 1), got ", probability);
  return probability;
}

}  // namespace

Dropout::Dropout(double with) : probability(checked_probability("Dropout", with)) {}
ChannelDropout::ChannelDropout(double with) : probability(checked_probability("ChannelDropout", with)) {}
AlphaDropout::AlphaDropout(double with) : probability(checked_probability("AlphaDropout", with)) {}

Tensor Dropout::operator()(const Operand& x) const {
  const Scope scope = enter();
  return training && probability > 0 ? dropout(x, probability) : x.tensor();
}

Tensor ChannelDropout::operator()(const Operand& x) const {
  const Scope scope = enter();
  return training && probability > 0 ? channel_dropout(x, probability) : x.tensor();
}

Tensor AlphaDropout::operator()(const Operand& x) const {
  const Scope scope = enter();
  return training && probability > 0 ? alpha_dropout(x, probability) : x.tensor();
}

}  // namespace weft::nn
