// Initial values of parameters, drawn from this thread's generator (weft::manual_seed). Weights have PyTorch's layout:
// outputs, inputs, then the window of a convolution.
#pragma once

#include <weft/tensor/creation.h>
#include <weft/tensor/random.h>

namespace weft::nn::init {

// The number of inputs that each output sums, and the number of outputs that each input reaches.
struct Fans {
  double in = 1, out = 1;
};
Fans fans(const Shape& weight);

Tensor uniform(const Shape& shape, double low, double high, DType dtype = DType::f32);
Tensor normal(const Shape& shape, double mean = 0, double deviation = 1, DType dtype = DType::f32);
// U(-b, b) with b = gain * sqrt(3 / in), which preserves the variance of activations (He et al. 2015); the gain of ReLU
// is sqrt(2).
Tensor kaiming_uniform(const Shape& shape, double gain = 1.4142135623730951, DType dtype = DType::f32);
Tensor kaiming_normal(const Shape& shape, double gain = 1.4142135623730951, DType dtype = DType::f32);
// U(-b, b) with b = gain * sqrt(6 / (in + out)) (Glorot & Bengio 2010).
Tensor xavier_uniform(const Shape& shape, double gain = 1, DType dtype = DType::f32);
Tensor xavier_normal(const Shape& shape, double gain = 1, DType dtype = DType::f32);

}  // namespace weft::nn::init
