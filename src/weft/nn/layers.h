// Layers: modules with parameters and a function of them. Initial values, names and layouts of parameters are
// PyTorch's.
//
// Mixed precision: a layer computes in the dtype of its floating-point input and converts its parameters to that dtype.
// With f32 parameters and bf16 activations, products are bf16, and gradients and updates are f32.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include <weft/tensor/activation.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/loss.h>
#include <weft/tensor/module.h>
#include <weft/tensor/scalar.h>

namespace weft::nn {

using weft::cross_entropy;
using weft::load_state_dict;
using weft::mse_loss;
using weft::named_parameters;
using weft::parameter_count;
using weft::parameters;
using weft::set_training;
using weft::state_dict;
using weft::summary;

// x weight^T + bias: weight [out, in], bias [out].
class Linear : public Layer {
 public:
  Linear(std::int64_t in, std::int64_t out, bool with_bias = true, DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }

  Parameter weight;
  std::optional<Parameter> bias;
};

// Looks up rows of a table: weight [rows, width], initialised from N(0, 1).
class Embedding : public Layer {
 public:
  Embedding(std::int64_t rows, std::int64_t width, DType dtype = DType::f32);
  Tensor operator()(const Operand& indices) const;
  void fields(auto&& field) { field("weight", weight); }

  Parameter weight;
};

// a^T W_o b + bias_o: weight [out, left, right], bias [out].
class Bilinear : public Layer {
 public:
  Bilinear(std::int64_t left, std::int64_t right, std::int64_t out, bool with_bias = true, DType dtype = DType::f32);
  Tensor operator()(const Operand& a, const Operand& b) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }

  Parameter weight;
  std::optional<Parameter> bias;
};

// A slope for each channel of x [batch, channels, ...], or one for all.
class PReLU : public Layer {
 public:
  explicit PReLU(std::int64_t channels = 1, double slope = 0.25, DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) { field("weight", weight); }

  Parameter weight;
};

// Normalises over the last dimension, or over as many of the last dimensions as the shape has.
class LayerNorm : public Layer {
 public:
  explicit LayerNorm(std::int64_t width, double epsilon = 1e-5, bool with_bias = true, DType dtype = DType::f32);
  explicit LayerNorm(const Shape& shape, double epsilon = 1e-5, bool with_bias = true, DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }

  Parameter weight;
  std::optional<Parameter> bias;
  double epsilon;
};

class RMSNorm : public Layer {
 public:
  explicit RMSNorm(std::int64_t width, double epsilon = 1e-6, DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) { field("weight", weight); }

  Parameter weight;
  double epsilon;
};

// Drops elements during training; set_training(model, false) disables it and its relatives.
class Dropout : public Layer {
 public:
  explicit Dropout(double probability);
  Tensor operator()(const Operand& x) const;
  void fields(auto&&) {}

  Scalar probability;
  Flag training{true, "training"};
};

// Drops whole channels of x [batch, channels, ...] during training.
class ChannelDropout : public Layer {
 public:
  explicit ChannelDropout(double probability);
  Tensor operator()(const Operand& x) const;
  void fields(auto&&) {}

  Scalar probability;
  Flag training{true, "training"};
};
using Dropout1d = ChannelDropout;
using Dropout2d = ChannelDropout;
using Dropout3d = ChannelDropout;

// Dropout for networks of selu: keeps the mean and the variance.
class AlphaDropout : public Layer {
 public:
  explicit AlphaDropout(double probability);
  Tensor operator()(const Operand& x) const;
  void fields(auto&&) {}

  double probability;
  Flag training{true, "training"};
};

// Applies modules and functions one after the other: Sequential(Linear(4, 8), [](const Tensor& x) { return relu(x); },
// Linear(8, 2)).
template <class... Stages>
class Sequential : public Layer {
 public:
  explicit Sequential(Stages... given) : stages(std::move(given)...) {}

  Tensor operator()(const Tensor& x) const {
    return std::apply([&](const auto&... stage) { return run(x, stage...); }, stages);
  }
  void fields(auto&& field) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (list(std::to_string(I), std::get<I>(stages), field), ...);
    }(std::index_sequence_for<Stages...>());
  }

  std::tuple<Stages...> stages;

 private:
  static Tensor run(const Tensor& x) { return x; }
  static Tensor run(const Tensor& x, const auto& stage, const auto&... rest) { return run(stage(x), rest...); }
  static void list(const std::string& name, auto& stage, auto& field) {
    if constexpr (Module<std::remove_reference_t<decltype(stage)>>) field(name, stage);
  }
};

}  // namespace weft::nn
