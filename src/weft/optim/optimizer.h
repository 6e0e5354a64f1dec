// What all optimizers are: the parameters of a model, an update of them by gradients, and state that is kept from step to step as
// parameters of its own, named "<parameter>.<what>", which state_dict(optimizer) saves and load_state_dict loads.
//
// The learning rate and the other numbers are inputs of the program: changing them between steps (set_lr, options()) does not
// recompile. Parameters of 16-bit floats are updated in f32 and rounded.
//
// A parameter takes part in the steps in which its requires_grad is true, which may change between steps. As in PyTorch, steps that
// leave it out do not count for its bias correction; its state is made when it first takes part.
//
// The model may be moved (returned by value, kept in a vector that grows), but must live as long as the optimizer makes steps.
#pragma once

#include <functional>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <weft/tensor/module.h>
#include <weft/tensor/parameter_ref.h>
#include <weft/tensor/scalar.h>

namespace weft::record {
class Call;
}

namespace weft::optim {

// Chooses parameters by name and value.
using Predicate = std::function<bool(const NamedParameter&)>;
// Weights of rank 2 and more: not biases, and not the scales of normalisations.
bool is_matrix(const NamedParameter& parameter);

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // The parameters that require gradients now, in the order of the gradients that step takes: step(grad(loss,
  // optimizer.parameters())). Valid until the model is moved or a requires_grad changes. Throws Error if the model has ended.
  const std::vector<Parameter*>& parameters(std::source_location where = std::source_location::current());

  // Gives each of parameters() its new value, through which no gradient passes: one that is taken later in the same step, of
  // another model's loss, does not go back into this update. Throws Error if the gradients do not fit, or if the model has ended.
  void step(std::span<const Tensor> gradients, std::source_location where = std::source_location::current());

  virtual Scalar& lr() = 0;
  void set_lr(double rate) { lr() = rate; }

  void fields(auto&& field) {
    field("step", steps_);
    for (State& state : states_) {
      for (std::size_t i = 0; i < state.slots.size(); ++i)
        field(state.named.name + '.' + slot_names_[i], state.slots[i]);
      if (state.skipped.defined()) field(state.named.name + '.' + skipped_name, state.skipped);
    }
  }
  // For load_state_dict: makes the state of parameters that took part, or were left out, where the saved optimizer ran.
  void before_load(const StateDict& saved);

 protected:
  // Launches what was recorded, so that the first training step does not contain the making of the model.
  Optimizer(std::vector<NamedParameter> parameters, std::vector<std::string> slot_names);

  // One parameter in one step. The tensors are of the type in which it is computed; `result` is to be set.
  struct Update {
    const NamedParameter& parameter;
    Tensor number;  // of this parameter's steps, this one included, as f64
    Tensor value, gradient;
    std::span<Parameter> state;  // one per slot, zeros at first
    Tensor result;
  };
  // Called before every step.
  virtual void before_step() {}
  // Adds a slot, zeros at first, as soon as `number` is not 0. From then on it stays: the number is an input like the others.
  void add_slot_for(const Scalar& number, const std::string& name);

  virtual void update(std::span<Update> updates) = 0;

  // Throws Error, led by the optimizer's name, unless low <= value < high.
  static void require_option(const char* optimizer, const char* option, double value, double low = 0,
                             double high = std::numeric_limits<double>::infinity());

  // A number as an input of this step, as f64.
  static Tensor input(const Scalar& number);

  // The numbers of a step, made once for all parameters of one type that took part in the same steps.
  template <class Numbers>
  class Shared {
   public:
    // make(dtype, number)
    const Numbers& get(const Update& update, auto&& make) {
      const DType dtype = update.value.dtype();
      for (const Made& made : made_) {
        if (made.dtype == dtype && &made.number.impl() == &update.number.impl()) return made.numbers;
      }
      made_.push_back({dtype, update.number, make(dtype, update.number)});
      return made_.back().numbers;
    }

   private:
    struct Made {
      DType dtype;
      Tensor number;
      Numbers numbers;
    };
    std::vector<Made> made_;
  };

 private:
  static constexpr const char* skipped_name = "skipped_steps";

  struct State {
    NamedParameter named;  // where the parameter was last
    ParameterRef parameter;
    bool has_begun = false;        // it has taken part, or may in the first step
    std::vector<Parameter> slots;  // none before
    Parameter skipped;             // steps since then that left it out, and all before; undefined: none
    bool takes_part() const { return named.parameter->requires_grad; }
  };

  // Finds the parameters, which may have been moved.
  void locate(const record::Call& call);
  void begin(State& state);
  void begin_skips(State& state, const Tensor& number);
  void note_who_takes_part();

  std::vector<Parameter*> parameters_;
  std::vector<State> states_;
  std::vector<std::string> slot_names_;
  Parameter steps_;                // made so far
  bool may_have_stepped_ = false;  // steps_ may be more than 0
  // Parameters that have `skipped`, of which earlier recordings know nothing.
  Scalar skip_counts_ = {0, "the number of parameters that were ever left out"};
};

}  // namespace weft::optim
