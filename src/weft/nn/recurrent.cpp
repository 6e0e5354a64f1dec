#include <weft/nn/recurrent.h>

#include <cmath>
#include <utility>

#include <weft/nn/init.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/control.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>

namespace weft::nn {

using detail::RecurrentKind;
using detail::RecurrentUnit;
using detail::States;

namespace {

States lstm_step(const Tensor& in, const Tensor& past, const States& before) {
  const auto gates = chunk(in + past, 4, -1);
  const Tensor cell = sigmoid(gates[1]) * before[1] + sigmoid(gates[0]) * tanh(gates[2]);
  return {sigmoid(gates[3]) * tanh(cell), cell};
}

States gru_step(const Tensor& in, const Tensor& past, const States& before) {
  const auto x = chunk(in, 3, -1), h = chunk(past, 3, -1);
  const Tensor reset = sigmoid(x[0] + h[0]), keep = sigmoid(x[1] + h[1]);
  const Tensor candidate = tanh(x[2] + reset * h[2]);
  return {candidate + keep * (before[0] - candidate)};
}

States tanh_step(const Tensor& in, const Tensor& past, const States&) { return {tanh(in + past)}; }
States relu_step(const Tensor& in, const Tensor& past, const States&) { return {relu(in + past)}; }

constexpr RecurrentKind lstm{"LSTM", 4, lstm_step, true}, gru{"GRU", 3, gru_step, false};
constexpr RecurrentKind lstm_cell{"LSTMCell", 4, lstm_step, true}, gru_cell{"GRUCell", 3, gru_step, false};

RecurrentKind rnn(const char* name, Nonlinearity nonlinearity) {
  return {name, 1, nonlinearity == Nonlinearity::tanh ? tanh_step : relu_step, true};
}

Tensor initial_of_width(const Shape& shape, std::int64_t width, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(width));
  return init::uniform(shape, -bound, bound, dtype);
}

std::int64_t in_of(const RecurrentUnit& unit) { return unit.weight_ih.type().size(1); }
// The width of the k-th state.
std::int64_t width_of(const RecurrentUnit& unit, std::size_t k, std::int64_t gates) {
  return k == 0 ? unit.weight_hh.type().size(1) : unit.weight_hh.type().size(0) / gates;
}

// The parameters of a unit, in the dtype of its input.
struct Weights {
  Weights(const RecurrentUnit& unit, DType dtype, bool adds_past)
      : ih(unit.weight_ih.tensor().to(dtype)), hh(unit.weight_hh.tensor().to(dtype)) {
    if (unit.weight_hr) hr = unit.weight_hr->tensor().to(dtype);
    if (!unit.bias_ih) return;
    bias_ih = unit.bias_ih->tensor().to(dtype);
    bias_hh = unit.bias_hh->tensor().to(dtype);
    if (!adds_past) return;
    bias_ih = bias_ih + bias_hh;
    bias_hh = {};
  }
  Tensor in(const Tensor& x) const { return bias_ih.defined() ? linear(x, ih, bias_ih) : linear(x, ih); }
  Tensor past(const Tensor& h) const { return bias_hh.defined() ? linear(h, hh, bias_hh) : linear(h, hh); }
  // Returns the states after a step.
  States next(const RecurrentKind& kind, const Tensor& in, const States& before) const {
    States now = kind.step(in, past(before[0]), before);
    if (hr.defined()) now[0] = linear(now[0], hr);
    return now;
  }

  Tensor ih, hh, hr, bias_ih, bias_hh;
};

// Goes through the steps of one unit, from the last to the first if `backward`; `is_step` [time, batch, 1] tells which steps count, and
// may be undefined. Replaces the states and returns the first state at all times, [batch, time, width].
Tensor over_time(const RecurrentKind& kind, const RecurrentUnit& unit, const Tensor& x, States& states, bool backward,
                 const Tensor& is_step) {
  const Weights weights(unit, x.dtype(), kind.adds_past);
  const auto in_order = [&](const Tensor& steps) { return backward ? flip(steps, 0) : steps; };
  std::vector<Tensor> xs{
      in_order(transpose(weights.in(x), 0, 1))};  // computes the input's part of all time steps at once
  if (is_step.defined()) xs.push_back(in_order(is_step));
  const ScanResult all = scan(states, xs, [&](const States& before, const std::vector<Tensor>& at) {
    States now = weights.next(kind, at[0], before);
    Tensor value = now[0];
    if (is_step.defined()) {
      value = where(at[1], value, constant(0, value.dtype()));
      for (std::size_t i = 0; i < now.size(); ++i) now[i] = where(at[1], now[i], before[i]);
    }
    return std::pair(std::move(now), std::vector{value});
  });
  states = all.values;
  return transpose(in_order(all.stacked[0]), 0, 1);
}

// Returns booleans [time, batch, 1]: which steps of x [batch, time, in] count.
Tensor steps_within(const char* module, const Tensor& lengths, const Tensor& x) {
  require(is_integer(lengths.dtype()) && lengths.shape() == Shape{x.size(0)}, module, ": expected the lengths of ",
          x.size(0), " sequences as integers, got ", lengths.type());
  return unsqueeze(transpose(arange(x.size(1)) < reshape(lengths, {x.size(0), 1})), 2);
}

}  // namespace

detail::RecurrentUnit::RecurrentUnit(std::int64_t in, std::int64_t width, std::int64_t gates, bool with_bias,
                                     DType dtype, std::int64_t proj_size)
    : weight_ih(initial_of_width({gates * width, in}, width, dtype)),
      weight_hh(initial_of_width({gates * width, proj_size > 0 ? proj_size : width}, width, dtype)) {
  if (proj_size > 0) weight_hr = initial_of_width({proj_size, width}, width, dtype);
  if (!with_bias) return;
  bias_ih = initial_of_width({gates * width}, width, dtype);
  bias_hh = initial_of_width({gates * width}, width, dtype);
}

detail::RecurrentStack::RecurrentStack(const RecurrentKind& kind, std::int64_t in, std::int64_t width,
                                       std::int64_t layers, const RecurrentOptions& options)
    : bidirectional(options.bidirectional), dropout(options.dropout), kind_(kind) {
  require(layers > 0, kind.name, ": expected at least one layer, got ", layers);
  require(options.dropout >= 0 && options.dropout < 1, kind.name, ": the dropout must lie in [0, 1), got ",
          options.dropout);
  const std::int64_t proj_size = options.proj_size, hidden = proj_size > 0 ? proj_size : width;
  require(proj_size == 0 || kind.step == lstm_step, kind.name, ": proj_size is an option of LSTM");
  require(proj_size >= 0 && (proj_size == 0 || proj_size < width), kind.name,
          ": proj_size must be smaller than the width ", width, ", got ", proj_size);
  const std::int64_t directions = bidirectional ? 2 : 1;
  for (std::int64_t i = 0; i < layers * directions; ++i)
    units.emplace_back(i < directions ? in : directions * hidden, width, kind.gates, options.bias, options.dtype,
                       proj_size);
}

Tensor detail::RecurrentStack::run(const Tensor& x, const std::vector<States*>& states, const Tensor& lengths) const {
  const std::int64_t in = in_of(units[0]);
  require(x.rank() == 3 && is_float(x.dtype()) && x.size(2) == in && x.size(1) > 0, kind_.name,
          ": expected floating point [batch, time, ", in, "] with a time of at least 1, got ", x.type());
  for (std::size_t k = 0; k < states.size(); ++k) {
    States* each = states[k];
    const Shape shape{x.size(0), width_of(units[0], k, kind_.gates)};
    if (each->empty()) each->assign(units.size(), zeros(shape, x.dtype()));
    require(each->size() == units.size(), kind_.name, ": ", each->size(), " states for ", units.size(),
            bidirectional ? " layers and directions" : " layers");
    for (Tensor& state : *each) {
      require(state.shape() == shape, kind_.name, ": the state ", state.type(), " is not ", shape);
      state = state.to(x.dtype());
    }
  }
  Tensor is_step;
  if (lengths.defined()) is_step = steps_within(kind_.name, lengths, x);
  const std::size_t directions = bidirectional ? 2 : 1;
  Tensor values = x;
  for (std::size_t first = 0; first < units.size(); first += directions) {
    if (first > 0 && training && dropout > 0) values = weft::dropout(values, dropout);
    std::vector<Tensor> parts;
    for (std::size_t i = first; i < first + directions; ++i) {
      States now;
      for (States* each : states) now.push_back((*each)[i]);
      parts.push_back(over_time(kind_, units[i], values, now, i > first, is_step));
      for (std::size_t k = 0; k < states.size(); ++k) (*states[k])[i] = now[k];
    }
    values = bidirectional ? concatenate(parts, -1) : parts[0];
  }
  return values;
}

detail::RecurrentCell::RecurrentCell(const RecurrentKind& kind, std::int64_t in, std::int64_t width, bool with_bias,
                                     DType dtype)
    : unit(in, width, kind.gates, with_bias, dtype), kind_(kind) {}

States detail::RecurrentCell::step(const Tensor& x, States before) const {
  const std::int64_t in = in_of(unit);
  require(x.rank() == 2 && is_float(x.dtype()) && x.size(1) == in, kind_.name, ": expected floating point [batch, ", in,
          "], got ", x.type());
  const Shape shape{x.size(0), width_of(unit, 0, kind_.gates)};
  for (Tensor& state : before) {
    if (!state.defined()) state = zeros(shape, x.dtype());
    require(state.shape() == shape, kind_.name, ": the state ", state.type(), " is not ", shape);
    state = state.to(x.dtype());
  }
  const Weights weights(unit, x.dtype(), kind_.adds_past);
  return weights.next(kind_, weights.in(x), before);
}

LSTM::LSTM(std::int64_t in, std::int64_t width, std::int64_t layers, const RecurrentOptions& options)
    : RecurrentStack(lstm, in, width, layers, options) {}

LSTM::Output LSTM::operator()(const Tensor& x, State state, const Tensor& lengths) const {
  const Scope scope = enter();
  Tensor values = run(x, {&state.hidden, &state.cell}, lengths);
  return {std::move(values), std::move(state)};
}

GRU::GRU(std::int64_t in, std::int64_t width, std::int64_t layers, const RecurrentOptions& options)
    : RecurrentStack(gru, in, width, layers, options) {}

GRU::Output GRU::operator()(const Tensor& x, std::vector<Tensor> state, const Tensor& lengths) const {
  const Scope scope = enter();
  Tensor values = run(x, {&state}, lengths);
  return {std::move(values), std::move(state)};
}

RNN::RNN(std::int64_t in, std::int64_t width, std::int64_t layers, const RecurrentOptions& options,
         Nonlinearity nonlinearity)
    : RecurrentStack(rnn("RNN", nonlinearity), in, width, layers, options) {}

RNN::Output RNN::operator()(const Tensor& x, std::vector<Tensor> state, const Tensor& lengths) const {
  const Scope scope = enter();
  Tensor values = run(x, {&state}, lengths);
  return {std::move(values), std::move(state)};
}

LSTMCell::LSTMCell(std::int64_t in, std::int64_t width, bool with_bias, DType dtype)
    : RecurrentCell(lstm_cell, in, width, with_bias, dtype) {}

LSTMCell::State LSTMCell::operator()(const Tensor& x, const State& state) const {
  const Scope scope = enter();
  const States next = step(x, {state.hidden, state.cell});
  return {next[0], next[1]};
}

GRUCell::GRUCell(std::int64_t in, std::int64_t width, bool with_bias, DType dtype)
    : RecurrentCell(gru_cell, in, width, with_bias, dtype) {}

Tensor GRUCell::operator()(const Tensor& x, const Tensor& state) const {
  const Scope scope = enter();
  return step(x, {state})[0];
}

RNNCell::RNNCell(std::int64_t in, std::int64_t width, bool with_bias, Nonlinearity nonlinearity, DType dtype)
    : RecurrentCell(rnn("RNNCell", nonlinearity), in, width, with_bias, dtype) {}

Tensor RNNCell::operator()(const Tensor& x, const Tensor& state) const {
  const Scope scope = enter();
  return step(x, {state})[0];
}

}  // namespace weft::nn
