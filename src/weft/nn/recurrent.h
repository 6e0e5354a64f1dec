// Recurrent networks with PyTorch's names, layouts and gate orders (batch_first): x [batch, time, in] gives [batch,
// time, width]. The time steps are a scan (tensor/control.h): the program is the same for every length, and
// gradients flow through all steps.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <weft/tensor/module.h>
#include <weft/tensor/operand.h>

namespace weft::nn {

namespace detail {

// The parameters of one layer: weight_ih [gates width, in], weight_hh [gates width, width] and a bias for each.
struct RecurrentLayer {
  RecurrentLayer(std::int64_t in, std::int64_t width, std::int64_t gates, DType dtype);
  Parameter weight_ih, weight_hh, bias_ih, bias_hh;
};

void recurrent_fields(std::vector<RecurrentLayer>& layers, auto&& field) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string suffix = "_l" + std::to_string(i);
    field("weight_ih" + suffix, layers[i].weight_ih);
    field("weight_hh" + suffix, layers[i].weight_hh);
    field("bias_ih" + suffix, layers[i].bias_ih);
    field("bias_hh" + suffix, layers[i].bias_hh);
  }
}

}  // namespace detail

class LSTM : public Layer {
 public:
  // One tensor [batch, width] per layer; empty: zeros.
  struct State {
    std::vector<Tensor> hidden, cell;
    void fields(auto&& field) {
      field("hidden", hidden);
      field("cell", cell);
    }
  };
  struct Output {
    Tensor values;  // of the last layer, at every time step
    State state;    // after the last time step
    void fields(auto&& field) {
      field("values", values);
      field("state", state);
    }
  };

  LSTM(std::int64_t in, std::int64_t width, std::int64_t layers = 1, DType dtype = DType::f32);
  Output operator()(const Tensor& x, State state = {}) const;
  void fields(auto&& field) { detail::recurrent_fields(layers, field); }

  std::vector<detail::RecurrentLayer> layers;
};

class GRU : public Layer {
 public:
  struct Output {
    Tensor values;              // of the last layer, at every time step
    std::vector<Tensor> state;  // one tensor [batch, width] per layer, after the last time step
    void fields(auto&& field) {
      field("values", values);
      field("state", state);
    }
  };

  GRU(std::int64_t in, std::int64_t width, std::int64_t layers = 1, DType dtype = DType::f32);
  Output operator()(const Tensor& x, std::vector<Tensor> state = {}) const;
  void fields(auto&& field) { detail::recurrent_fields(layers, field); }

  std::vector<detail::RecurrentLayer> layers;
};

}  // namespace weft::nn
