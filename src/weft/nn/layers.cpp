#include <weft/nn/layers.h>

#include <cmath>

#include <weft/nn/init.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>

namespace weft::nn {

namespace {

// Draws from U(-1/sqrt(in), 1/sqrt(in)), PyTorch's distribution for weights and biases.
Tensor initial(const Shape& shape, double inputs, DType dtype) {
  const double bound = 1 / std::sqrt(inputs);
  return init::uniform(shape, -bound, bound, dtype);
}

// Converts a parameter to the dtype of the floating-point input.
Tensor like(const Parameter& parameter, const Operand& x) {
  if (x.is_number() || !is_float(x.tensor().dtype())) return parameter;
  return convert({parameter, x.where()}, x.tensor().dtype());
}

}  // namespace

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

Conv2d::Conv2d(std::int64_t in, std::int64_t out, Pair2d window, ConvOptions with, bool with_bias, DType dtype)
    : options(with) {
  require(with.groups > 0 && in % with.groups == 0, "Conv2d: ", with.groups, " groups do not divide ", in, " channels");
  const Shape shape{out, in / with.groups, window[0], window[1]};
  const double inputs = init::fans(shape).in;
  weight = initial(shape, inputs, dtype);
  if (with_bias) bias = initial({out}, inputs, dtype);
}

Tensor Conv2d::operator()(const Operand& x) const {
  const Scope scope = enter();
  return bias ? conv2d(x, like(weight, x), like(*bias, x), options) : conv2d(x, like(weight, x), options);
}

Conv1d::Conv1d(std::int64_t in, std::int64_t out, std::int64_t window, Conv1dOptions with, bool with_bias, DType dtype)
    : options(with) {
  require(with.groups > 0 && in % with.groups == 0, "Conv1d: ", with.groups, " groups do not divide ", in, " channels");
  const Shape shape{out, in / with.groups, window};
  const double inputs = init::fans(shape).in;
  weight = initial(shape, inputs, dtype);
  if (with_bias) bias = initial({out}, inputs, dtype);
}

Tensor Conv1d::operator()(const Operand& x) const {
  const Scope scope = enter();
  return bias ? conv1d(x, like(weight, x), like(*bias, x), options) : conv1d(x, like(weight, x), options);
}

ConvTranspose2d::ConvTranspose2d(std::int64_t in, std::int64_t out, Pair2d window, ConvTransposeOptions with,
                                 bool with_bias, DType dtype)
    : options(with) {
  require(with.groups > 0 && out % with.groups == 0, "ConvTranspose2d: ", with.groups, " groups do not divide ", out,
          " channels");
  const Shape shape{in, out / with.groups, window[0], window[1]};
  const double inputs = init::fans(shape).in;
  weight = initial(shape, inputs, dtype);
  if (with_bias) bias = initial({out}, inputs, dtype);
}

Tensor ConvTranspose2d::operator()(const Operand& x) const {
  const Scope scope = enter();
  return bias ? conv_transpose2d(x, like(weight, x), like(*bias, x), options)
              : conv_transpose2d(x, like(weight, x), options);
}

}  // namespace weft::nn
