#include <weft/nn/init.h>

#include <cmath>

#include <weft/tensor/elementwise.h>

namespace weft::nn::init {

Fans fans(const Shape& weight) {
  require(weight.rank() >= 2, "init: a weight of rank 2 or more has inputs and outputs, got ", weight);
  double window = 1;
  for (int i = 2; i < weight.rank(); ++i) window *= weight[i].value();
  return {weight[1].value() * window, weight[0].value() * window};
}

Tensor uniform(const Shape& shape, double low, double high, DType dtype) {
  return rand(shape, dtype) * constant(high - low, dtype) + constant(low, dtype);
}

Tensor normal(const Shape& shape, double mean, double deviation, DType dtype) {
  const Tensor centred = randn(shape, dtype) * constant(deviation, dtype);
  return mean == 0 ? centred : centred + constant(mean, dtype);
}

Tensor kaiming_uniform(const Shape& shape, double gain, DType dtype) {
  const double bound = gain * std::sqrt(3 / fans(shape).in);
  return uniform(shape, -bound, bound, dtype);
}

Tensor kaiming_normal(const Shape& shape, double gain, DType dtype) {
  return normal(shape, 0, gain / std::sqrt(fans(shape).in), dtype);
}

Tensor xavier_uniform(const Shape& shape, double gain, DType dtype) {
  const auto [in, out] = fans(shape);
  const double bound = gain * std::sqrt(6 / (in + out));
  return uniform(shape, -bound, bound, dtype);
}

Tensor xavier_normal(const Shape& shape, double gain, DType dtype) {
  const auto [in, out] = fans(shape);
  return normal(shape, 0, gain * std::sqrt(2 / (in + out)), dtype);
}

}  // namespace weft::nn::init
