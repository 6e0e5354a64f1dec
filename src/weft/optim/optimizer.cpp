#include <weft/optim/optimizer.h>

#include <algorithm>
#include <cmath>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/recording.h>
#include <weft/tensor/sync.h>

namespace weft::optim {

namespace {

DType update_dtype(DType dtype) { return byte_size(dtype) == 2 ? DType::f32 : dtype; }

}  // namespace

bool is_matrix(const NamedParameter& parameter) { return parameter.parameter->type().rank() >= 2; }

Optimizer::Optimizer(std::vector<NamedParameter> parameters, std::vector<std::string> slot_names)
    : steps_(zeros({}, DType::i64)) {
  for (NamedParameter& parameter : parameters) {
    if (!parameter.parameter->requires_grad) continue;
    const Type type = parameter.parameter->type();
    require(is_float(type.dtype()), "Optimizer: ", parameter.name, " is ", type,
            ", but only floating-point parameters can be trained");
    parameters_.push_back(parameter.parameter);
    states_.push_back({std::move(parameter), {}});
  }
  require(!states_.empty(), "Optimizer: the model has no parameters that require gradients");
  // Compiled steps know slots by their addresses: one that is added later moves none.
  for (State& state : states_) state.slots.reserve(slot_names.size() + 1);
  for (const std::string& name : slot_names) add_slot(name);
  sync();
}

void Optimizer::add_slot_for(const Scalar& number, const std::string& name) {
  if (std::ranges::find(slot_names_, name) == slot_names_.end() && number != 0) add_slot(name);
}

void Optimizer::add_slot(const std::string& name) {
  slot_names_.push_back(name);
  for (State& state : states_) {
    const Type type = state.parameter.parameter->type();
    state.slots.emplace_back(zeros(type.dims(), update_dtype(type.dtype())));
  }
}

void Optimizer::require_option(const char* optimizer, const char* option, double value, double low, double high) {
  if (std::isinf(high)) {
    require(value >= low && value < high, optimizer, ": ", option, " must be a number, at least ", low, ", got ",
            value);
  } else {
    require(value >= low && value < high, optimizer, ": ", option, " must lie in [", low, ", ", high, "), got ", value);
  }
}

Tensor Optimizer::input(const Scalar& number) { return full({}, number, DType::f64); }

void Optimizer::step(std::span<const Tensor> gradients, std::source_location where) {
  const Scope scope("optimizer");
  const detail::Frame frame("Optimizer.step", where);
  frame.require(gradients.size() == states_.size(), gradients.size(), " gradients for ", states_.size(), " parameters");
  before_step();
  std::vector<Update> updates;
  updates.reserve(states_.size());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const NamedParameter& parameter = states_[i].parameter;
    const Tensor& value = parameter.parameter->tensor();
    frame.require(gradients[i].defined() && gradients[i].shape() == value.shape(), "the gradient of ", parameter.name,
                  " is ", gradients[i].defined() ? gradients[i].type() : Type(), ", the parameter ", value.type());
    const DType dtype = update_dtype(value.dtype());
    updates.push_back({parameter, value.to(dtype), gradients[i].to(dtype), states_[i].slots, {}});
  }
  steps_ = steps_ + constant(1, DType::i64);
  update(updates, steps_.tensor().to(DType::f64));
  for (Update& made : updates)
    *made.parameter.parameter = stop_gradient(made.result.to(made.parameter.parameter->dtype()));
}

}  // namespace weft::optim
