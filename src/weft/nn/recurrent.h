// Recurrent networks with PyTorch's names, layouts and gate orders (batch_first): x [batch, time, in] gives [batch,
// time, width]. The time steps are a scan (tensor/control.h): the program is the same for every length, and
// gradients flow through all steps.
//
// Sequences of different lengths are padded to one time, and `lengths`, integers [batch], tells how many steps of each count. The result
// is that of PyTorch's packed sequences: values after the last step are 0, the state is that after the last step, and the backward
// direction begins at the last step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/tensor/module.h>
#include <weft/tensor/operand.h>
#include <weft/tensor/scalar.h>

namespace weft::nn {

struct RecurrentOptions {
  bool bidirectional =
      false;           // a second network goes from the last step to the first; values are [batch, time, 2 width]
  double dropout = 0;  // during training, of the values of every layer but the last
  bool bias = true;
  std::int64_t proj_size = 0;  // LSTM only: the hidden state is projected to this width; 0: it is not
  DType dtype = DType::f32;
};

namespace detail {

using States = std::vector<Tensor>;

// The parameters of one unit: weight_ih [gates width, in], weight_hh [gates width, hidden] and a bias for each. The first state has the
// width `hidden`; it is `width`, or proj_size if there is a projection weight_hr [proj_size, width].
struct RecurrentUnit {
  RecurrentUnit(std::int64_t in, std::int64_t width, std::int64_t gates, bool with_bias, DType dtype,
                std::int64_t proj_size = 0);
  void list(auto&& field, const std::string& suffix) {
    field("weight_ih" + suffix, weight_ih);
    field("weight_hh" + suffix, weight_hh);
    field("bias_ih" + suffix, bias_ih);
    field("bias_hh" + suffix, bias_hh);
    field("weight_hr" + suffix, weight_hr);
  }

  Parameter weight_ih, weight_hh;
  std::optional<Parameter> bias_ih, bias_hh, weight_hr;
};

// One kind of unit.
struct RecurrentKind {
  const char* name;
  std::int64_t gates;
  // Returns the next states for the states before, in = weight_ih x + bias_ih and past = weight_hh h + bias_hh.
  States (*step)(const Tensor& in, const Tensor& past, const States& before);
  bool adds_past;  // whether only in + past counts, so that both biases can be added to `in`
};

// Layers of units, in one direction or in both.
class RecurrentStack : public Layer {
 public:
  void fields(auto&& field) {
    const std::size_t directions = bidirectional ? 2 : 1;
    for (std::size_t i = 0; i < units.size(); ++i)
      units[i].list(field, "_l" + std::to_string(i / directions) + (i % directions == 0 ? "" : "_reverse"));
  }

  std::vector<RecurrentUnit> units;  // of layer 0 forward, layer 0 backward if there is one, layer 1 forward...
  bool bidirectional;
  Scalar dropout;
  Flag training{true, "training"};

 protected:
  RecurrentStack(const RecurrentKind& kind, std::int64_t in, std::int64_t width, std::int64_t layers,
                 const RecurrentOptions& options);
  // Returns the values of the last layer. Each of `states` holds one state of every unit and becomes the states after the last step.
  Tensor run(const Tensor& x, const std::vector<States*>& states, const Tensor& lengths) const;

 private:
  RecurrentKind kind_;
};

// One unit that takes one step at a call.
class RecurrentCell : public Layer {
 public:
  void fields(auto&& field) { unit.list(field, ""); }

  RecurrentUnit unit;

 protected:
  RecurrentCell(const RecurrentKind& kind, std::int64_t in, std::int64_t width, bool with_bias, DType dtype);
  States step(const Tensor& x, States before) const;

 private:
  RecurrentKind kind_;
};

}  // namespace detail

class LSTM : public detail::RecurrentStack {
 public:
  // One tensor [batch, width] per unit, in the order of `units`; empty: zeros. With proj_size, that is the width of `hidden`.
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

  LSTM(std::int64_t in, std::int64_t width, std::int64_t layers = 1, const RecurrentOptions& options = {});
  Output operator()(const Tensor& x, State state = {}, const Tensor& lengths = {}) const;
};

struct RecurrentOutput {
  Tensor values;              // of the last layer, at every time step
  std::vector<Tensor> state;  // one tensor [batch, width] per unit, after the last time step
  void fields(auto&& field) {
    field("values", values);
    field("state", state);
  }
};

class GRU : public detail::RecurrentStack {
 public:
  using Output = RecurrentOutput;

  GRU(std::int64_t in, std::int64_t width, std::int64_t layers = 1, const RecurrentOptions& options = {});
  Output operator()(const Tensor& x, std::vector<Tensor> state = {}, const Tensor& lengths = {}) const;
};

enum class Nonlinearity : std::uint8_t { tanh, relu };

// h = tanh(weight_ih x + bias_ih + weight_hh h + bias_hh), or relu instead of tanh.
class RNN : public detail::RecurrentStack {
 public:
  using Output = RecurrentOutput;

  RNN(std::int64_t in, std::int64_t width, std::int64_t layers = 1, const RecurrentOptions& options = {},
      Nonlinearity nonlinearity = Nonlinearity::tanh);
  Output operator()(const Tensor& x, std::vector<Tensor> state = {}, const Tensor& lengths = {}) const;
};

// One step: x [batch, in] and the state [batch, width] before it, zeros if undefined, give the state after it.
class LSTMCell : public detail::RecurrentCell {
 public:
  struct State {
    Tensor hidden, cell;
    void fields(auto&& field) {
      field("hidden", hidden);
      field("cell", cell);
    }
  };

  LSTMCell(std::int64_t in, std::int64_t width, bool with_bias = true, DType dtype = DType::f32);
  State operator()(const Tensor& x, const State& state = {}) const;
};

class GRUCell : public detail::RecurrentCell {
 public:
  GRUCell(std::int64_t in, std::int64_t width, bool with_bias = true, DType dtype = DType::f32);
  Tensor operator()(const Tensor& x, const Tensor& state = {}) const;
};

class RNNCell : public detail::RecurrentCell {
 public:
  RNNCell(std::int64_t in, std::int64_t width, bool with_bias = true, Nonlinearity nonlinearity = Nonlinearity::tanh,
          DType dtype = DType::f32);
  Tensor operator()(const Tensor& x, const Tensor& state = {}) const;
};

}  // namespace weft::nn
