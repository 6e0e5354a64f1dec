#include <weft/nn/recurrent.h>

#include <cmath>

#include <weft/nn/init.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>

namespace weft::nn {

namespace {

Tensor initial(const Shape& shape, std::int64_t width, DType dtype) {
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

// The states of all layers: zeros if there are none.
void begin(const char* module, std::vector<Tensor>& state, const Tensor& x,
           const std::vector<detail::RecurrentLayer>& layers) {
  const Shape shape{x.size(0), width_of(layers[0])};
  if (state.empty()) state.assign(layers.size(), zeros(shape, x.dtype()));
  require(state.size() == layers.size(), module, ": ", state.size(), " states for ", layers.size(), " layers");
  for (const Tensor& s : state) require(s.shape() == shape, module, ": the state ", s.type(), " is not ", shape);
}

}  // namespace

detail::RecurrentLayer::RecurrentLayer(std::int64_t in, std::int64_t width, std::int64_t gates, DType dtype)
    : weight_ih(initial({gates * width, in}, width, dtype)),
      weight_hh(initial({gates * width, width}, width, dtype)),
      bias_ih(initial({gates * width}, width, dtype)),
      bias_hh(initial({gates * width}, width, dtype)) {}

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
    const Tensor inputs = linear(values, layer.weight_ih, layer.bias_ih);  // of all times at once
    Tensor &hidden = state.hidden[i], &cell = state.cell[i];
    std::vector<Tensor> outputs;
    for (std::int64_t t = 0; t < x.size(1); ++t) {
      const auto gates = chunk(select(inputs, 1, t) + linear(hidden, layer.weight_hh, layer.bias_hh), 4, -1);
      cell = sigmoid(gates[1]) * cell + sigmoid(gates[0]) * tanh(gates[2]);
      hidden = sigmoid(gates[3]) * tanh(cell);
      outputs.push_back(hidden);
    }
    values = stack(outputs, 1);
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
    Tensor& hidden = state[i];
    std::vector<Tensor> outputs;
    for (std::int64_t t = 0; t < x.size(1); ++t) {
      const auto in = chunk(select(inputs, 1, t), 3, -1);
      const auto past = chunk(linear(hidden, layer.weight_hh, layer.bias_hh), 3, -1);
      const Tensor reset = sigmoid(in[0] + past[0]), keep = sigmoid(in[1] + past[1]);
      const Tensor candidate = tanh(in[2] + reset * past[2]);
      hidden = candidate + keep * (hidden - candidate);
      outputs.push_back(hidden);
    }
    values = stack(outputs, 1);
  }
  return {values, std::move(state)};
}

}  // namespace weft::nn
