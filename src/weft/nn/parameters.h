// Parameters of layers: initial values and dtypes. Internal.
#pragma once

#include <cmath>

#include <weft/nn/init.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/parameter.h>

namespace weft::nn::detail {

// Draws from U(-1/sqrt(inputs), 1/sqrt(inputs)), PyTorch's distribution for weights and biases.
inline Tensor initial(const Shape& shape, double inputs, DType dtype) {
  const double bound = 1 / std::sqrt(inputs);
  return init::uniform(shape, -bound, bound, dtype);
}

// Converts a parameter to the dtype of the floating-point input.
inline Tensor like(const Parameter& parameter, const Operand& x) {
  if (x.is_number() || !is_float(x.tensor().dtype())) return parameter;
  return convert({parameter, x.where()}, x.tensor().dtype());
}

}  // namespace weft::nn::detail
