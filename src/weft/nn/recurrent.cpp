#include <weft/nn/recurrent.h>

#include <cmath>
#include <functional>

#include <weft/nn/init.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/control.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>

namespace weft::nn {

namespace {

Tensor initial_of_width(const Shape& shape, std::int64_t width, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(width));
  return init::uniform(shape, -bound, bound, dtype);
}

std::vector<detail::RecurrentLayer> make_layers(const char* module, std::int64_t in, std::int64_t width,
                                                std::int64_t count, std::int64_t gates, DType dtype) {
  require(count > 0, module, ": expected at least one layer, got ", count);
  std::vector<detail::RecurrentLayer> layers;
  for (std::int64_t i = 0; i < count; ++i) layers.emplace_back(i == 0 ? in : width, width, gates, dtype);
  return layers;
}

std::int64_t width_of(const detail::RecurrentLayer& layer) { return layer.weight_hh.type().size(1); }

void check_input(const char* module, const Tensor& x, const detail::RecurrentLayer& first) {
  const std::int64_t in = first.weight_ih.type().size(1);
  require(x.rank() == 3 && x.size(2) == in && x.size(1) > 0, module, ": expected [batch, time, ", in,
          "] with a time of at least 1, got ", x.type());
}

// Sets the states of all layers to zeros if none are given.
void begin(const char* module, std::vector<Tensor>& state, const Tensor& x,
           const std::vector<detail::RecurrentLayer>& layers) {
  const Shape shape{x.size(0), width_of(layers[0])};
  if (state.empty()) state.assign(layers.size(), zeros(shape, x.dtype()));
  require(state.size() == layers.size(), module, ": ", state.size(), " states for ", layers.size(), " layers");
  for (const Tensor& s : state) require(s.shape() == shape, module, ": the state ", s.type(), " is not ", shape);
}

using States = std::vector<Tensor>;

// Replaces the states by step(states, inputs at time t) for each time step; returns the first state at all times,
// [batch, time, width].
Tensor over_time(const Tensor& inputs, const std::vector<Tensor*>& states,
                 const std::function<States(const States& before, const Tensor& input)>& step) {
  States first;
  for (const Tensor* state : states) first.push_back(*state);
  const ScanResult all = scan(first, std::vector{transpose(inputs, 0, 1)}, [&](const States& before, const States& x) {
    States now = step(before, x[0]);
    std::vector<Tensor> kept{now[0]};
    return std::pair(std::move(now), std::move(kept));
  });
  for (std::size_t i = 0; i < states.size(); ++i) *states[i] = all.values[i];
  return transpose(all.stacked[0], 0, 1);
}

}  // namespace

detail::RecurrentLayer::RecurrentLayer(std::int64_t in, std::int64_t width, std::int64_t gates, DType dtype)
    : weight_ih(initial_of_width({gates * width, in}, width, dtype)),
      weight_hh(initial_of_width({gates * width, width}, width, dtype)),
      bias_ih(initial_of_width({gates * width}, width, dtype)),
      bias_hh(initial_of_width({gates * width}, width, dtype)) {}

LSTM::LSTM(std::int64_t in, std::int64_t width, std::int64_t count, DType dtype)
    : layers(make_layers("LSTM", in, width, count, 4, dtype)) {}

LSTM::Output LSTM::operator()(const Tensor& x, State state) const {
  const Scope scope = enter();
  check_input("LSTM", x, layers[0]);
  begin("LSTM", state.hidden, x, layers);
  begin("LSTM", state.cell, x, layers);
  Tensor values = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const detail::RecurrentLayer& layer = layers[i];
    // Computes the input projections of all time steps at once, with both biases.
    const Tensor inputs = linear(values, layer.weight_ih, layer.bias_ih.tensor() + layer.bias_hh.tensor());
    values = over_time(inputs, {&state.hidden[i], &state.cell[i]}, [&](const States& before, const Tensor& input) {
      const auto gates = chunk(input + linear(before[0], layer.weight_hh), 4, -1);
      const Tensor cell = sigmoid(gates[1]) * before[1] + sigmoid(gates[0]) * tanh(gates[2]);
      return States{sigmoid(gates[3]) * tanh(cell), cell};
    });
  }
  return {values, std::move(state)};
}

GRU::GRU(std::int64_t in, std::int64_t width, std::int64_t count, DType dtype)
    : layers(make_layers("GRU", in, width, count, 3, dtype)) {}

GRU::Output GRU::operator()(const Tensor& x, std::vector<Tensor> state) const {
  const Scope scope = enter();
  check_input("GRU", x, layers[0]);
  begin("GRU", state, x, layers);
  Tensor values = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const detail::RecurrentLayer& layer = layers[i];
    const Tensor inputs = linear(values, layer.weight_ih, layer.bias_ih);
    values = over_time(inputs, {&state[i]}, [&](const States& before, const Tensor& input) {
      const auto in = chunk(input, 3, -1);
      const auto past = chunk(linear(before[0], layer.weight_hh, layer.bias_hh), 3, -1);
      const Tensor reset = sigmoid(in[0] + past[0]), keep = sigmoid(in[1] + past[1]);
      const Tensor candidate = tanh(in[2] + reset * past[2]);
      return States{candidate + keep * (before[0] - candidate)};
    });
  }
  return {values, std::move(state)};
}

}  // namespace weft::nn
