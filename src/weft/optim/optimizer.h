// What all optimizers are: the parameters that require gradients, an update of them by gradients, and state that is kept from
// step to step as parameters of its own, named "<parameter>.<what>", which state_dict(optimizer) saves and load_state_dict loads.
//
// The learning rate and the other numbers are inputs of the program: changing them between steps (set_lr, options()) does not
// recompile. Parameters of 16-bit floats are updated in f32 and rounded. An optimizer refers to its model's parameters by
// address: the model must stay in place.
#pragma once

#include <functional>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <weft/tensor/module.h>
#include <weft/tensor/scalar.h>

namespace weft::optim {

// Chooses parameters by name and value.
using Predicate = std::function<bool(const NamedParameter&)>;
// Weights of rank 2 and more: not biases, and not the scales of normalisations.
bool is_matrix(const NamedParameter& parameter);

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // The parameters, in the order of the gradients that step takes: step(grad(loss, optimizer.parameters())).
  const std::vector<Parameter*>& parameters() const { return parameters_; }

  // Gives every parameter its new value, through which no gradient passes: one that is taken later in the same step, of another
  // model's loss, does not go back into this update. Throws Error if the gradients do not fit the parameters.
  void step(std::span<const Tensor> gradients, std::source_location where = std::source_location::current());

  virtual Scalar& lr() = 0;
  void set_lr(double rate) { lr() = rate; }

  void fields(auto&& field) {
    field("step", steps_);
    for (State& state : states_) {
      for (std::size_t i = 0; i < state.slots.size(); ++i)
        field(state.parameter.name + '.' + slot_names_[i], state.slots[i]);
    }
  }

 protected:
  // Launches what was recorded, so that the first training step does not contain the making of the model.
  Optimizer(std::vector<NamedParameter> parameters, std::vector<std::string> slot_names);

  // One parameter in one step. The tensors are of the type in which it is computed; `result` is to be set.
  struct Update {
    const NamedParameter& parameter;
    Tensor value, gradient;
    std::span<Parameter> state;  // one per slot, zeros at first
    Tensor result;
  };
  // Called before every step.
  virtual void before_step() {}
  // Adds a slot, zeros at first, as soon as `number` is not 0. From then on it stays: the number is an input like the others.
  void add_slot_for(const Scalar& number, const std::string& name);

  // `number` is that of the step, from 1, as f64.
  virtual void update(std::span<Update> updates, const Tensor& number) = 0;

  // Throws Error, led by the optimizer's name, unless low <= value < high.
  static void require_option(const char* optimizer, const char* option, double value, double low = 0,
                             double high = std::numeric_limits<double>::infinity());

  // A number as an input of this step, as f64.
  static Tensor input(const Scalar& number);

  // The numbers of a step, made once for each type in which they are needed.
  template <class Numbers>
  class PerType {
   public:
    const Numbers& get(DType dtype, auto&& make) {
      for (const auto& [made_for, numbers] : made_) {
        if (made_for == dtype) return numbers;
      }
      made_.emplace_back(dtype, make(dtype));
      return made_.back().second;
    }

   private:
    std::vector<std::pair<DType, Numbers>> made_;
  };

 private:
  void add_slot(const std::string& name);

  struct State {
    NamedParameter parameter;
    std::vector<Parameter> slots;
  };
  std::vector<Parameter*> parameters_;
  std::vector<State> states_;
  std::vector<std::string> slot_names_;
  Parameter steps_;  // made so far
};

}  // namespace weft::optim
