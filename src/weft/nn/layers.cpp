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

LayerNorm::LayerNorm(std::int64_t width, double by, bool with_bias, DType dtype)
    : weight(ones({width}, dtype)), epsilon(by) {
  if (with_bias) bias = zeros({width}, dtype);
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

Dropout::Dropout(double with) : probability(with) {
  require(with >= 0 && with < 1, "Dropout: the probability must lie in [0, 1), got ", with);
}

Tensor Dropout::operator()(const Operand& x) const {
  const Scope scope = enter();
  return training && probability > 0 ? dropout(x, probability) : x.tensor();
}

}  // namespace weft::nn
