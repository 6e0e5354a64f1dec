#include <weft/optim/optimizer.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <weft/base/log.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/record/call.h>
#include <weft/record/call_error.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/embedding.h>
#include <weft/tensor/name_patterns.h>
#include <weft/tensor/rounding.h>

namespace weft::optim {

namespace {

// Whether two parameters hold the same value, as after copying one, until either is written.
bool hold_one_value(const Parameter& a, const Parameter& b) {
  const record::TensorImpl &x = a.tensor().impl(), &y = b.tensor().impl();
  if (x.buffer) return x.buffer == y.buffer;
  if (y.buffer || x.recording != y.recording || !x.recording) return false;
  return x.recording->original(x.value) == x.recording->original(y.value);
}

// Returns the dimensions of a slot, or what belongs to each of them, given those of the parameter.
template <class Dims>
Dims slot_dims(Dims dims, int without, std::int64_t copies, const typename Dims::value_type& of_copies) {
  if (without != 0 && without <= std::ssize(dims)) dims.erase(dims.end() - without);
  if (copies > 0) dims.insert(dims.begin(), of_copies);
  return dims;
}

// Warns of parameters that were copied: `head.weight = emb.weight` does not tie them.
void warn_of_copies(const std::vector<NamedParameter>& parameters) {
  for (auto later = parameters.begin(); later != parameters.end(); ++later) {
    const auto is_copied = [&](const NamedParameter& named) {
      return hold_one_value(*named.parameter, *later->parameter);
    };
    const auto first = std::find_if(parameters.begin(), later, is_copied);
    if (first == later || !is_matrix(*later)) continue;
    WEFT_LOG(warnings, "Optimizer: ", later->name, " is a copy of ", first->name,
             "; each is trained by itself. To tie them, use one Parameter in both places");
    return;
  }
}

void require_lives(const Parameter* parameter, const std::string& name, const char* function) {
  record::require_call(
      parameter != nullptr, function, name,
      " was destroyed: the model of this optimizer no longer exists, or another one was moved into its place; "
      "keep it as long as the optimizer makes steps, or make a new optimizer");
}

// Returns the next value of a parameter in its dtype; `bits` are undefined unless it is rounded stochastically.
Tensor in_dtype(const Tensor& x, DType dtype, const Tensor& bits) {
  return bits.defined() ? round_stochastically(x, dtype, bits) : x.to(dtype);
}

// Returns `next` if the condition is true or undefined, else `before`.
Tensor chosen(const Tensor& condition, const Tensor& next, const Tensor& before) {
  return condition.defined() ? where(condition, next, before) : next;
}

DType update_dtype(DType dtype) { return byte_size(dtype) == 2 ? DType::f32 : dtype; }

}  // namespace

bool is_matrix(const NamedParameter& parameter) { return parameter.parameter->type().rank() >= 2; }

Optimizer::Optimizer(const char* name, std::vector<NamedParameter> parameters, std::vector<Group> groups,
                     std::vector<Slot> slots)
    : name_(name), groups_(std::move(groups)), slots_(std::move(slots)), steps_(zeros({}, DType::i64)) {
  std::vector<std::string> patterns;
  for (const Group& group : groups_) {
    patterns.push_back(group.names);
    require_option("lr_factor of " + group.names, group.lr_factor);
    require_option("decay_factor of " + group.names, group.decay_factor);
  }
  const auto matches = first_matches(parameters, patterns, name);
  warn_of_copies(parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    NamedParameter& named = parameters[i];
    const Type type = named.parameter->type();
    if (!is_float(type.dtype())) {
      require(!named.parameter->requires_grad, "Optimizer: ", named.name, " is ", type,
              ", but only floating-point parameters can be trained");
      continue;
    }
    ParameterRef parameter(*named.parameter);
    states_.push_back({.named = std::move(named),
                       .parameter = std::move(parameter),
                       .group = matches[i],
                       .slots = {},
                       .slot_names = {},
                       .skipped = {}});
  }
  require(std::ranges::any_of(states_, [&](const State& state) { return takes_part(state); }),
          "Optimizer: the model has no parameters that require gradients",
          groups_.empty() ? "" : " outside of frozen groups");
  // Compiled steps identify slots by address, so adding a slot later must not move any.
  for (State& state : states_) state.slots.reserve(slots_.size() + 1);
  for (State& state : states_)
    if (takes_part(state)) begin(state);
  // State on a mesh may still be divided (zero::over), and no device should hold it whole before.
  const auto is_on_mesh = [](const State& state) {
    return std::ranges::any_of(state.slots,
                               [](const Parameter& slot) { return bool(slot.unobserved().impl().layout); });
  };
  if (std::ranges::none_of(states_, is_on_mesh)) sync();
}

void Optimizer::before_load(const StateDict& saved) {
  locate("load_state_dict");
  may_have_stepped_ = true;
  for (State& state : states_) {
    const auto is_saved = [&](const std::string& what) {
      return weft::detail::is_saved(saved, state.named.name + '.' + what, *state.parameter.get());
    };
    if (!state.has_begun && std::ranges::any_of(slots_, is_saved, &Slot::name)) begin(state);
    if (!state.skipped.defined() && is_saved(skipped_name)) begin_skips(state, zeros({}, DType::i64));
  }
}

void Optimizer::locate(const char* function) {
  for (State& state : states_) {
    state.named.parameter = state.parameter.get();
    require_lives(state.named.parameter, state.named.name, function);
  }
}

const std::vector<Parameter*>& Optimizer::parameters(std::source_location where) {
  locate(record::Call("Optimizer.parameters", where).function());
  parameters_.clear();
  for (const State& state : states_)
    if (takes_part(state)) parameters_.push_back(state.named.parameter);
  return parameters_;
}

void Optimizer::add_slot_for(const Scalar& number, const std::string& name) {
  if (std::ranges::find(slots_, name, &Slot::name) != slots_.end() || number == 0) return;
  slots_.push_back({.name = name});
  for (State& state : states_)
    if (state.has_begun) begin(state);
}

bool Optimizer::takes_part(const State& state) const {
  return state.named.parameter->requires_grad && !(state.group && groups_[*state.group].frozen);
}

void Optimizer::begin(State& state) {
  state.has_begun = true;
  for (const Slot& slot : slots_) {
    if (std::ranges::find(state.slot_names, slot.name) != state.slot_names.end()) continue;
    if (slot.of && !slot.of(state.named)) continue;
    state.slots.push_back(new_slot(*state.named.parameter, slot));
    state.slot_names.push_back(slot.name);
  }
}

Parameter Optimizer::new_slot(const Parameter& parameter, const Slot& slot) const {
  const Type type = parameter.type();
  const auto dims =
      slot_dims(std::vector<Dim>(type.dims().begin(), type.dims().end()), slot.without, slot.copies, Dim(slot.copies));
  Parameter made(zeros(Shape(dims), update_dtype(type.dtype())));
  if (slot.without <= 1 && slot.copies == 0) made.saved_pieces = parameter.saved_pieces;
  const record::TensorImpl& value = parameter.unobserved().impl();
  record::TensorImpl& state = made.unobserved().impl();
  if (slot.without == 0 && slot.copies == 0) {
    state.takes_layout_of(value);
  } else if (value.layout) {
    const ir::Sharding sharding = compiler::sharding_of(value.layout);
    state.layout = compiler::layout_for({sharding.mesh(), slot_dims(sharding.dims(), slot.without, slot.copies, {})});
  }
  return made;
}

void Optimizer::begin_skips(State& state, const Tensor& number) {
  state.skipped.reset(number);
  skip_counts_ = skip_counts_ + 1;
}

// Creates the state of parameters that take part for the first time, and counts the step for those that are left out.
void Optimizer::note_who_takes_part(const Tensor& counted) {
  for (State& state : states_) {
    if (takes_part(state) && !state.has_begun) {
      begin(state);
      if (may_have_stepped_) begin_skips(state, steps_);
    } else if (!takes_part(state) && state.has_begun) {
      if (!state.skipped.defined()) begin_skips(state, zeros({}, DType::i64));
      state.skipped = state.skipped + counted;
    }
  }
  may_have_stepped_ = true;
}

void Optimizer::require_option(std::string_view option, double value, double low, double high) const {
  if (std::isinf(high)) {
    require(value >= low && value < high, name_, ": ", option, " must be a number, at least ", low, ", got ", value);
  } else {
    require(value >= low && value < high, name_, ": ", option, " must lie in [", low, ", ", high, "), got ", value);
  }
}

void Optimizer::require_whole(const Update& update) const {
  require(!update.parameter.parameter->sparse_update, name_, ": ", update.parameter.name,
          " is an embedding table that is updated by rows, but this optimizer needs whole parameters: set its "
          "sparse_update to "
          "false, or train it with another optimizer");
}

Tensor Optimizer::input(const Scalar& number) { return full({}, number, DType::f64); }

// Returns the states of the parameters that require gradients now, which the gradients must fit.
std::vector<Optimizer::State*> Optimizer::states_of(const record::Call& call, std::span<const Tensor> gradients) {
  std::vector<State*> updated;
  for (State& state : states_)
    if (takes_part(state)) updated.push_back(&state);
  call.require(gradients.size() == updated.size(), gradients.size(), " gradients for ", updated.size(),
               " parameters that require gradients");
  for (std::size_t i = 0; i < updated.size(); ++i) {
    const NamedParameter& named = updated[i]->named;
    const Type type = named.parameter->type();
    call.require(gradients[i].defined() && gradients[i].shape() == type.dims(), "the gradient of ", named.name, " is ",
                 gradients[i].defined() ? gradients[i].type() : Type(), ", the parameter ", type);
  }
  return updated;
}

void Optimizer::step(std::span<const Tensor> gradients, std::source_location where) {
  step(record::Call("Optimizer.step", where), gradients, {}, where);
}

void Optimizer::step_if(const Tensor& condition, std::span<const Tensor> gradients, std::source_location where) {
  const record::Call call("Optimizer.step_if", where);
  call.require(condition.defined() && condition.dtype() == DType::boolean && condition.rank() == 0,
               "the condition must be one boolean, got ", condition.defined() ? condition.type() : Type());
  step(call, gradients, condition, where);
}

std::vector<Optimizer::GroupNumbers> Optimizer::group_numbers() {
  const Tensor rate = input(lr()), decay = input(weight_decay());
  const bool decays = weight_decay() != 0;
  std::vector<GroupNumbers> numbers;
  for (const Group& group : groups_)
    numbers.push_back(
        {rate * input(group.lr_factor), decay * input(group.decay_factor), decays && group.decay_factor != 0});
  numbers.push_back({rate, decay, decays});
  return numbers;
}

void Optimizer::step(const record::Call& call, std::span<const Tensor> gradients, const Tensor& condition,
                     std::source_location where) {
  const Scope scope("optimizer");
  locate(call.function());
  before_step();
  const std::vector<State*> updated = states_of(call, gradients);
  const Tensor counted = condition.defined() ? condition.to(DType::i64) : constant(1, DType::i64);
  note_who_takes_part(counted);
  steps_ = steps_ + counted;
  require_option("max_gradient", max_gradient_);
  const StepNumbers numbers{
      .number = steps_.tensor().to(DType::f64),
      .rounding_key = rounds_stochastically_ ? rounding_key(rounding_seed_, steps_.tensor()) : Tensor(),
      .max_gradient = max_gradient_ != 0 ? input(max_gradient_) : Tensor(),
      .condition = condition,
      .groups = group_numbers()};
  struct Part {
    std::vector<State*> states;
    std::vector<Tensor> gradients;
  };
  std::map<std::optional<DType>, Part> parts;  // of dense parameters, then of tables of each dtype
  for (std::size_t i = 0; i < updated.size(); ++i) {
    const Parameter& parameter = *updated[i]->named.parameter;
    Part& part = parts[parameter.sparse_update ? std::optional(parameter.dtype()) : std::nullopt];
    part.states.push_back(updated[i]);
    part.gradients.push_back(gradients[i]);
  }
  for (const auto& [dtype, part] : parts)
    dtype ? step_sparse(part.states, part.gradients, numbers, where) : step_dense(part.states, part.gradients, numbers);
}

void Optimizer::replace_rows(std::span<const Tensor> gradients, std::source_location where) {
  const record::Call call("Optimizer.replace_rows", where);
  locate(call.function());
  const std::vector<State*> updated = states_of(call, gradients);
  for (std::size_t i = 0; i < updated.size(); ++i) {
    Parameter& parameter = *updated[i]->named.parameter;
    if (!parameter.sparse_update) continue;
    TableRows table{.value = parameter.tensor(), .gradient = gradients[i], .states = {}};
    for (const Parameter& slot : updated[i]->slots) table.states.push_back(slot);
    const auto body = [](std::span<const TableRows> rows) {
      UpdatedRows next{.value = rows[0].gradient.to(rows[0].value.dtype()), .states = {}};
      for (const Tensor& state : rows[0].states) next.states.push_back(zeros_like(state));
      return std::vector{next};
    };
    const UpdatedRows next = update_rows({&table, 1}, body, {}, where)[0];
    parameter = stop_gradient(next.value);
    for (std::size_t s = 0; s < next.states.size(); ++s) updated[i]->slots[s] = stop_gradient(next.states[s]);
  }
}

void Optimizer::round_stochastically(std::uint64_t seed) {
  rounds_stochastically_ = true;
  rounding_seed_ = seed;
}

Tensor Optimizer::number_of(const State& state, const Tensor& number) const {
  return skip_counts_ != 0 && state.skipped.defined() ? (steps_ - state.skipped).to(DType::f64) : number;
}

// Returns the update without its tensors.
Optimizer::Update Optimizer::begin_update(State& state, const StepNumbers& numbers, const Tensor& number) const {
  const GroupNumbers& group = numbers.groups[state.group.value_or(groups_.size())];
  return {.parameter = state.named,
          .number = number,
          .rate = group.rate,
          .weight_decay = group.weight_decay,
          .decays = group.decays && (!decays() || decays()(state.named)),
          .value = {},
          .gradient = {},
          .state = {},
          .result = {}};
}

void Optimizer::step_dense(std::span<State* const> states, std::span<const Tensor> gradients,
                           const StepNumbers& numbers) {
  std::vector<Update> updates;
  std::vector<Tensor> before;  // the slots of all parameters
  updates.reserve(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    State& state = *states[i];
    const Tensor& value = state.named.parameter->tensor();
    const DType dtype = update_dtype(value.dtype());
    Tensor gradient = gradients[i].to(dtype);
    if (numbers.max_gradient.defined()) {
      const Tensor limit = numbers.max_gradient.to(dtype);
      gradient = clamp(gradient, -limit, limit);
    }
    updates.push_back(begin_update(state, numbers, number_of(state, numbers.number)));
    updates.back().value = value.to(dtype);
    updates.back().gradient = gradient;
    updates.back().state = state.slots;
    for (const Parameter& slot : state.slots) before.push_back(slot);
  }
  update(updates);
  auto old_slot = before.begin();
  for (Update& made : updates) {
    Parameter& parameter = *made.parameter.parameter;
    const DType dtype = parameter.dtype();
    const Tensor bits = numbers.rounding_key.defined() && byte_size(dtype) == 2
                            ? rounding_bits(numbers.rounding_key, made.parameter.name, made.result.shape())
                            : Tensor();
    const Tensor next = in_dtype(made.result, dtype, bits);
    parameter = stop_gradient(chosen(numbers.condition, next, parameter));
    if (!numbers.condition.defined()) continue;
    for (Parameter& slot : made.state) slot = where(numbers.condition, slot, *old_slot++);
  }
}

// Records the update of one row of each table, and applies it to the rows that lookups have read.
void Optimizer::step_sparse(std::span<State* const> states, std::span<const Tensor> gradients,
                            const StepNumbers& numbers, std::source_location where) {
  std::vector<TableRows> tables;
  std::vector<Tensor> steps;  // so many each table has taken part in
  for (std::size_t i = 0; i < states.size(); ++i) {
    tables.push_back({.value = states[i]->named.parameter->tensor(), .gradient = gradients[i], .states = {}});
    for (const Parameter& slot : states[i]->slots) tables.back().states.push_back(slot);
    if (const auto& counters = states[i]->named.parameter->row_counters; counters && counters->get() != nullptr)
      tables.back().row_counters = counters->get()->tensor();
    steps.push_back(number_of(*states[i], numbers.number));
  }
  const auto body = [&](std::span<const TableRows> rows) {
    std::vector<std::vector<Parameter>> slots(rows.size());
    std::vector<Update> updates;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const DType dtype = update_dtype(rows[i].value.dtype());
      for (const Tensor& state : rows[i].states) slots[i].emplace_back(state);
      updates.push_back(begin_update(*states[i], numbers, steps[i]));
      updates.back().value = rows[i].value.to(dtype);
      updates.back().gradient = rows[i].gradient.to(dtype);
      updates.back().state = slots[i];
    }
    update(updates);
    std::vector<UpdatedRows> next(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Tensor value = in_dtype(updates[i].result, rows[i].value.dtype(), rows[i].random_bits);
      next[i].value = chosen(numbers.condition, value, rows[i].value);
      for (std::size_t s = 0; s < slots[i].size(); ++s)
        next[i].states.push_back(chosen(numbers.condition, slots[i][s], rows[i].states[s]));
    }
    return next;
  };
  const UpdateOptions options{.random_key = byte_size(tables[0].value.dtype()) == 2 ? numbers.rounding_key : Tensor(),
                              .max_gradient = numbers.max_gradient};
  const std::vector<UpdatedRows> next = update_rows(tables, body, options, where);
  for (std::size_t i = 0; i < states.size(); ++i) {
    *states[i]->named.parameter = stop_gradient(next[i].value);
    for (std::size_t s = 0; s < next[i].states.size(); ++s) states[i]->slots[s] = stop_gradient(next[i].states[s]);
  }
}

}  // namespace weft::optim
