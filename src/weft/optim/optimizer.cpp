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

ir::Sharding without_last_dim(const ir::Sharding& sharding) {
  std::vector<ir::Sharding::Axes> dims = sharding.dims();
  if (!dims.empty()) dims.pop_back();
  return {sharding.mesh(), std::move(dims)};
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

DType update_dtype(DType dtype) { return byte_size(dtype) == 2 ? DType::f32 : dtype; }

}  // namespace

bool is_matrix(const NamedParameter& parameter) { return parameter.parameter->type().rank() >= 2; }

Optimizer::Optimizer(std::vector<NamedParameter> parameters, std::vector<std::string> slot_names,
                     std::vector<std::string> row_slots)
    : row_slots_(std::move(row_slots)), steps_(zeros({}, DType::i64)) {
  warn_of_copies(parameters);
  for (NamedParameter& named : parameters) {
    const Type type = named.parameter->type();
    if (!is_float(type.dtype())) {
      require(!named.parameter->requires_grad, "Optimizer: ", named.name, " is ", type,
              ", but only floating-point parameters can be trained");
      continue;
    }
    ParameterRef parameter(*named.parameter);
    states_.push_back({.named = std::move(named), .parameter = std::move(parameter), .slots = {}, .skipped = {}});
  }
  require(std::ranges::any_of(states_, &State::takes_part),
          "Optimizer: the model has no parameters that require gradients");
  // Compiled steps identify slots by address, so adding a slot later must not move any.
  for (State& state : states_) state.slots.reserve(slot_names.size() + 1);
  slot_names_ = std::move(slot_names);
  for (State& state : states_)
    if (state.takes_part()) begin(state);
  // State on a mesh may still be divided (zero::over), and no device should hold it whole before.
  const auto is_on_mesh = [](const State& state) {
    return std::ranges::any_of(state.slots,
                               [](const Parameter& slot) { return bool(slot.unobserved().impl().layout); });
  };
  if (std::ranges::none_of(states_, is_on_mesh)) sync();
}

void Optimizer::before_load(const StateDict& saved) {
  for (const State& state : states_) require_lives(state.parameter.get(), state.named.name, "load_state_dict");
  may_have_stepped_ = true;
  for (State& state : states_) {
    const auto is_saved = [&](const std::string& what) {
      return detail::is_saved(saved, state.named.name + '.' + what, *state.parameter.get());
    };
    if (!state.has_begun && std::ranges::any_of(slot_names_, is_saved)) begin(state);
    if (!state.skipped.defined() && is_saved(skipped_name)) begin_skips(state, zeros({}, DType::i64));
  }
}

void Optimizer::locate(const record::Call& call) {
  for (State& state : states_) {
    state.named.parameter = state.parameter.get();
    require_lives(state.named.parameter, state.named.name, call.function());
  }
}

const std::vector<Parameter*>& Optimizer::parameters(std::source_location where) {
  locate(record::Call("Optimizer.parameters", where));
  parameters_.clear();
  for (const State& state : states_)
    if (state.takes_part()) parameters_.push_back(state.named.parameter);
  return parameters_;
}

void Optimizer::add_slot_for(const Scalar& number, const std::string& name) {
  if (std::ranges::find(slot_names_, name) != slot_names_.end() || number == 0) return;
  slot_names_.push_back(name);
  for (State& state : states_)
    if (state.has_begun) begin(state);
}

void Optimizer::begin(State& state) {
  state.has_begun = true;
  const Type type = state.parameter.get()->type();
  while (state.slots.size() < slot_names_.size()) {
    Shape shape(type.dims());
    const bool is_of_rows = std::ranges::find(row_slots_, slot_names_[state.slots.size()]) != row_slots_.end();
    if (is_of_rows) shape.resize(std::max(type.rank() - 1, 0), 0);
    const record::TensorImpl& value = state.parameter.get()->unobserved().impl();
    state.slots.emplace_back(zeros(shape, update_dtype(type.dtype()))).saved_pieces =
        state.parameter.get()->saved_pieces;
    record::TensorImpl& slot = state.slots.back().unobserved().impl();
    if (!is_of_rows)
      slot.takes_layout_of(value);
    else if (value.layout)
      slot.layout = compiler::layout_for(without_last_dim(compiler::sharding_of(value.layout)));
  }
}

void Optimizer::begin_skips(State& state, const Tensor& number) {
  state.skipped.reset(number);
  skip_counts_ = skip_counts_ + 1;
}

// Creates the state of parameters that take part for the first time, and counts the step for those that are left out.
void Optimizer::note_who_takes_part() {
  for (State& state : states_) {
    if (state.takes_part() && !state.has_begun) {
      begin(state);
      if (may_have_stepped_) begin_skips(state, steps_);
    } else if (!state.takes_part() && state.has_begun) {
      if (!state.skipped.defined()) begin_skips(state, zeros({}, DType::i64));
      state.skipped = state.skipped + constant(1, DType::i64);
    }
  }
  may_have_stepped_ = true;
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

// Returns the states of the parameters that require gradients now, which the gradients must fit.
std::vector<Optimizer::State*> Optimizer::states_of(const record::Call& call, std::span<const Tensor> gradients) {
  std::vector<State*> updated;
  for (State& state : states_)
    if (state.takes_part()) updated.push_back(&state);
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
  const Scope scope("optimizer");
  const record::Call call("Optimizer.step", where);
  locate(call);
  before_step();
  const std::vector<State*> updated = states_of(call, gradients);
  note_who_takes_part();
  steps_ = steps_ + constant(1, DType::i64);
  require_option("Optimizer", "max_gradient", max_gradient_);
  const StepNumbers numbers{
      .number = steps_.tensor().to(DType::f64),
      .rounding_key = rounds_stochastically_ ? rounding_key(rounding_seed_, steps_.tensor()) : Tensor(),
      .max_gradient = max_gradient_ != 0 ? input(max_gradient_) : Tensor()};
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
  locate(call);
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

void Optimizer::step_dense(std::span<State* const> states, std::span<const Tensor> gradients,
                           const StepNumbers& numbers) {
  std::vector<Update> updates;
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
    updates.push_back({.parameter = state.named,
                       .number = number_of(state, numbers.number),
                       .value = value.to(dtype),
                       .gradient = gradient,
                       .state = state.slots,
                       .result = {}});
  }
  update(updates);
  for (Update& made : updates) {
    const DType dtype = made.parameter.parameter->dtype();
    const Tensor bits = numbers.rounding_key.defined() && byte_size(dtype) == 2
                            ? rounding_bits(numbers.rounding_key, made.parameter.name, made.result.shape())
                            : Tensor();
    *made.parameter.parameter = stop_gradient(in_dtype(made.result, dtype, bits));
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
    steps.push_back(number_of(*states[i], numbers.number));
  }
  const auto body = [&](std::span<const TableRows> rows) {
    std::vector<std::vector<Parameter>> slots(rows.size());
    std::vector<Update> updates;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const DType dtype = update_dtype(rows[i].value.dtype());
      for (const Tensor& state : rows[i].states) slots[i].emplace_back(state);
      updates.push_back({.parameter = states[i]->named,
                         .number = steps[i],
                         .value = rows[i].value.to(dtype),
                         .gradient = rows[i].gradient.to(dtype),
                         .state = slots[i],
                         .result = {}});
    }
    update(updates);
    std::vector<UpdatedRows> next(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      next[i].value = in_dtype(updates[i].result, rows[i].value.dtype(), rows[i].random_bits);
      for (const Parameter& slot : slots[i]) next[i].states.push_back(slot);
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
