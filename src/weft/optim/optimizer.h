// The base class of all optimizers. An optimizer refers to the parameters of a model, updates them from gradients, and
// keeps state from step to step in parameters of its own, named "<parameter>.<slot>", which state_dict(optimizer) saves
// and load_state_dict loads.
//
// The learning rate and the other hyperparameters are inputs of the program: changing them between steps (set_lr,
// options()) does not recompile. Parameters of 16-bit floats are updated in f32 and rounded to the nearest, or stochastically.
//
// A parameter takes part in a step if its requires_grad is true and its group (group.h) is not frozen, both of which may change between
// steps. As in PyTorch, steps that leave it out do not count for its bias correction; its state is created when it first takes part.
//
// Of an embedding table (Parameter::sparse_update), only the rows that the step has looked up are updated, in place, with
// their part of the state; weight decay and moving averages leave the other rows as they are. Norms, as in LAMB, are those
// of a row. The gradient must be what grad returned: it is never computed as a whole.
//
// The model may be moved (returned by value, kept in a vector that grows), but must live as long as the optimizer makes
// steps.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/optim/group.h>
#include <weft/tensor/module.h>
#include <weft/tensor/parameter_ref.h>
#include <weft/tensor/scalar.h>

namespace weft::record {
class Call;
}

namespace weft::optim {

// Selects parameters by name and value.
using Predicate = std::function<bool(const NamedParameter&)>;
// Returns true for weights of rank 2 or higher, so false for biases and scales of normalisations.
bool is_matrix(const NamedParameter& parameter);

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Returns the parameters that take part in a step now, in the order of the gradients that step takes: step(grad(loss,
  // optimizer.parameters())). Valid until the model is moved, or until other parameters take part. Throws Error if the model was
  // destroyed.
  const std::vector<Parameter*>& parameters(std::source_location where = std::source_location::current());

  // Gives each of parameters() its new value. No gradient flows through the update: a gradient of another model's loss,
  // taken later in the same step, does not go back into it. Throws Error if the gradients do not fit, or if the model
  // was destroyed.
  void step(std::span<const Tensor> gradients, std::source_location where = std::source_location::current());

  // The same if `condition`, one boolean, is true. Else it leaves the parameters, the state and the number of steps as they are. The device
  // decides; the host does not wait.
  void step_if(const Tensor& condition, std::span<const Tensor> gradients,
               std::source_location where = std::source_location::current());

  // Gives the rows that lookups have read new values, and zeros as their state, as if they had never been updated: the gradients of tables
  // are the new values. Takes as many gradients as step(), but only those of embedding tables with sparse updates are used.
  void replace_rows(std::span<const Tensor> gradients, std::source_location where = std::source_location::current());

  // From now on, the next values of parameters of 16-bit floats are rounded up or down at random, right on average (tensor/rounding.h), so
  // that updates too small for the dtype are not lost. The random bits follow from the seed, the number of the step, the names of the
  // parameter or table, and the position: they are the same for any number of threads or devices, and after a checkpoint was loaded.
  // Compiled steps keep the seed of their first call.
  void round_stochastically(std::uint64_t seed = 0);

  // If positive, brings all elements of gradients between -max_gradient and max_gradient before anything else. Of an embedding table, these
  // are the gradients of pooled rows, before those of one row are added, as FBGEMM does. May change between steps.
  Scalar& max_gradient() { return max_gradient_; }

  // Returns the state of all parameters, by names such as block.0.weight.m: for shard (tensor/sharding.h).
  std::vector<NamedParameter> state() { return named_parameters(*this); }

  virtual Scalar& lr() = 0;
  void set_lr(double rate) { lr() = rate; }
  // The groups that the optimizer was made with, in their order.
  std::span<Group> groups() { return groups_; }

  void fields(auto&& field) {
    field("step", steps_);
    for (State& state : states_) {
      for (std::size_t i = 0; i < state.slots.size(); ++i)
        field(state.named.name + '.' + state.slot_names[i], state.slots[i]);
      if (state.skipped.defined()) field(state.named.name + '.' + skipped_name, state.skipped);
    }
  }
  // For load_state_dict: creates the state of parameters that took part or were skipped in the saved optimizer.
  void before_load(const StateDict& saved);

 protected:
  // State that is kept for each parameter. It has the shape of the parameter, unless it says otherwise.
  struct Slot {
    std::string name;
    Predicate of = {};        // which parameters have it; default: all
    int without = 0;          // a dimension that it lacks, counted from the end: 1: one number for each row of a matrix
    std::int64_t copies = 0;  // if positive, so many along a new first dimension
  };

  // Calls sync(), so that the first training step does not include the creation of the model; not on a mesh, where the state may still be
  // divided before it is computed. Throws Error for a group whose pattern matches nothing, or only what earlier ones match.
  Optimizer(const char* name, std::vector<NamedParameter> parameters, std::vector<Group> groups,
            std::vector<Slot> slots);

  // The update of one parameter in one step. The tensors have the dtype of the computation; the optimizer sets
  // `result`. Of an embedding table with sparse updates, they are one row, without the first dimension.
  struct Update {
    const NamedParameter& parameter;
    Tensor number;        // the number of steps of this parameter, including this one, as f64
    Tensor rate;          // the learning rate of its group, as f64
    Tensor weight_decay;  // that of its group, as f64
    bool decays;          // whether the weight decay applies to it, and is not 0
    Tensor value, gradient;
    std::span<Parameter> state;  // one per slot that the parameter has, zeros at first
    Tensor result;
  };
  // Called before every step.
  virtual void before_step() {}
  // The weight decay of parameters that decay, and which these are; default: all.
  virtual const Scalar& weight_decay() const = 0;
  virtual const Predicate& decays() const = 0;
  // Adds a slot, filled with zeros, as soon as `number` is not 0. The slot is then kept, even if the number becomes 0.
  void add_slot_for(const Scalar& number, const std::string& name);

  virtual void update(std::span<Update> updates) = 0;

  // Throws Error, which starts with the optimizer's name, unless low <= value < high.
  void require_option(std::string_view option, double value, double low = 0,
                      double high = std::numeric_limits<double>::infinity()) const;
  // Throws Error if the update is one of rows of an embedding table, which this optimizer does not know.
  void require_whole(const Update& update) const;
  const char* name() const { return name_; }

  // Returns a number as an input of this step, as f64.
  static Tensor input(const Scalar& number);

  // The numbers of a step, computed once for all parameters of one dtype and group that took part in the same steps.
  template <class Numbers>
  class Shared {
   public:
    // Returns the numbers; calls make(update) if they are not known.
    const Numbers& get(const Update& update, auto&& make) {
      const DType dtype = update.value.dtype();
      for (const Made& made : made_) {
        if (made.dtype == dtype && is_same(made.number, update.number) && is_same(made.rate, update.rate) &&
            is_same(made.weight_decay, update.weight_decay))
          return made.numbers;
      }
      made_.push_back({dtype, update.number, update.rate, update.weight_decay, make(update)});
      return made_.back().numbers;
    }

   private:
    struct Made {
      DType dtype;
      Tensor number, rate, weight_decay;
      Numbers numbers;
    };
    static bool is_same(const Tensor& a, const Tensor& b) { return &a.impl() == &b.impl(); }
    std::vector<Made> made_;
  };

 private:
  friend class AdamRule;
  static constexpr const char* skipped_name = "skipped_steps";

  struct State {
    NamedParameter named;  // the name, and the parameter at its last known address
    ParameterRef parameter;
    std::optional<std::size_t> group = {};
    bool has_begun = false;        // the parameter has taken part, or may do so in the first step
    std::vector<Parameter> slots;  // empty until then
    std::vector<std::string> slot_names;
    Parameter skipped;  // number of steps that left it out; undefined if none
  };

  bool takes_part(const State& state) const;
  Parameter new_slot(const Parameter& parameter, const Slot& slot) const;
  void step(const record::Call& call, std::span<const Tensor> gradients, const Tensor& condition,
            std::source_location where);

  std::vector<State*> states_of(const record::Call& call, std::span<const Tensor> gradients);
  // Finds the parameters, which may have been moved.
  void locate(const char* function);
  void begin(State& state);
  void begin_skips(State& state, const Tensor& number);
  void note_who_takes_part(const Tensor& counted);
  Tensor number_of(const State& state, const Tensor& number) const;
  struct GroupNumbers {
    Tensor rate, weight_decay;
    bool decays;
  };
  // The numbers of a step; those that it does not need are undefined.
  struct StepNumbers {
    Tensor number, rounding_key, max_gradient, condition;
    std::vector<GroupNumbers> groups;  // the last are those of parameters without a group
  };
  std::vector<GroupNumbers> group_numbers();
  Update begin_update(State& state, const StepNumbers& numbers, const Tensor& number) const;
  void step_dense(std::span<State* const> states, std::span<const Tensor> gradients, const StepNumbers& numbers);
  void step_sparse(std::span<State* const> states, std::span<const Tensor> gradients, const StepNumbers& numbers,
                   std::source_location where);

  const char* name_;
  std::vector<Group> groups_;
  std::vector<Parameter*> parameters_;
  std::vector<State> states_;
  std::vector<Slot> slots_;
  Parameter steps_;                // the number of steps so far
  bool may_have_stepped_ = false;  // steps_ may be more than 0
  Flag rounds_stochastically_{false, "stochastic rounding"};
  std::uint64_t rounding_seed_ = 0;
  Scalar max_gradient_ = {0, "max_gradient"};
  // The number of parameters that have `skipped`, of which earlier recordings know nothing.
  Scalar skip_counts_ = {0, "the number of parameters that were ever left out"};
};

// An optimizer whose options have lr, weight_decay and decays, as those of all do.
template <class Options>
class OptimizerWith : public Optimizer {
 public:
  Options& options() { return options_; }
  Scalar& lr() override { return options_.lr; }

 protected:
  OptimizerWith(const char* name, std::vector<NamedParameter> parameters, Options options, std::vector<Group> groups,
                std::vector<Slot> slots)
      : Optimizer(name, std::move(parameters), std::move(groups), std::move(slots)), options_(std::move(options)) {
    require_option("lr", options_.lr);
    require_option("weight_decay", options_.weight_decay);
  }
  const Scalar& weight_decay() const override { return options_.weight_decay; }
  const Predicate& decays() const override { return options_.decays; }

  Options options_;
};

}  // namespace weft::optim
