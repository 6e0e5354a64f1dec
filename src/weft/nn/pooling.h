// Pools as modules, with PyTorch's names. They have no parameters.
#pragma once

#include <weft/tensor/module.h>
#include <weft/tensor/pooling.h>

namespace weft::nn {

template <int N>
class MaxPool : public Layer {
 public:
  explicit MaxPool(Spatial<N> over, MaxPoolOptionsOf<N> with = {}) : window(over), options(with) {}
  Tensor operator()(const Operand& x) const;
  void fields(auto&&) {}

  Spatial<N> window;
  MaxPoolOptionsOf<N> options;
};
using MaxPool1d = MaxPool<1>;
using MaxPool2d = MaxPool<2>;
using MaxPool3d = MaxPool<3>;

template <int N>
class AvgPool : public Layer {
 public:
  explicit AvgPool(Spatial<N> over, AvgPoolOptionsOf<N> with = {}) : window(over), options(with) {}
  Tensor operator()(const Operand& x) const;
  void fields(auto&&) {}

  Spatial<N> window;
  AvgPoolOptionsOf<N> options;
};
using AvgPool1d = AvgPool<1>;
using AvgPool2d = AvgPool<2>;
using AvgPool3d = AvgPool<3>;

template <int N>
class AdaptiveMaxPool : public Layer {
 public:
  explicit AdaptiveMaxPool(Spatial<N> to) : size(to) {}
  Tensor operator()(const Operand& x) const;
  void fields(auto&&) {}

  Spatial<N> size;
};
using AdaptiveMaxPool1d = AdaptiveMaxPool<1>;
using AdaptiveMaxPool2d = AdaptiveMaxPool<2>;
using AdaptiveMaxPool3d = AdaptiveMaxPool<3>;

template <int N>
class AdaptiveAvgPool : public Layer {
 public:
  explicit AdaptiveAvgPool(Spatial<N> to) : size(to) {}
  Tensor operator()(const Operand& x) const;
  void fields(auto&&) {}

  Spatial<N> size;
};
using AdaptiveAvgPool1d = AdaptiveAvgPool<1>;
using AdaptiveAvgPool2d = AdaptiveAvgPool<2>;
using AdaptiveAvgPool3d = AdaptiveAvgPool<3>;

}  // namespace weft::nn
