// Convolutions with PyTorch's names, layouts and initial values.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/tensor/convolution.h>
#include <weft/tensor/module.h>

namespace weft::nn {

// weight [out, in / groups, window...], bias [out], on x [batch, in, spatial...].
template <int N>
class Conv : public Layer {
 public:
  Conv(std::int64_t in, std::int64_t out, Spatial<N> window, ConvOptionsOf<N> options = {}, bool with_bias = true,
       DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }

  Parameter weight;
  std::optional<Parameter> bias;
  ConvOptionsOf<N> options;
};
using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;

// weight [in, out / groups, window...], bias [out], on x [batch, in, spatial...].
template <int N>
class ConvTranspose : public Layer {
 public:
  ConvTranspose(std::int64_t in, std::int64_t out, Spatial<N> window, ConvTransposeOptionsOf<N> options = {},
                bool with_bias = true, DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }

  Parameter weight;
  std::optional<Parameter> bias;
  ConvTransposeOptionsOf<N> options;
};
using ConvTranspose1d = ConvTranspose<1>;
using ConvTranspose2d = ConvTranspose<2>;
using ConvTranspose3d = ConvTranspose<3>;

}  // namespace weft::nn
