#include <weft/optim/optimizer.h>

#include <algorithm>
#include <cmath>

#include <weft/base/log.h>
#include <weft/record/call.h>
#include <weft/record/call_error.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

namespace {

// Whether two parameters hold the same value, as after copying one, until either is written.
bool hold_one_value(const Parameter& a, const Parameter& b) {
  const record::TensorImpl &x = a.tensor().impl(), &y = b.tensor().impl();
  if (x.buffer) return x.buffer == y.buffer;
  if (y.buffer || x.recording != y.recording || !x.recording) return false;
  return x.recording->original(x.value) == x.recording->original(y.value);
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

DType update_dtype(DType dtype) { return byte_size(dtype) == 2 ? DType::f32 : dtype; }

}  // namespace

bool is_matrix(const NamedParameter& parameter) { return parameter.parameter->type().rank() >= 2; }

Optimizer::Optimizer(std::vector<NamedParameter> parameters, std::vector<std::string> slot_names)
    : steps_(zeros({}, DType::i64)) {
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
    const auto is_saved = [&](const std::string& what) { return saved.contains(state.named.name + '.' + what); };
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
    state.slots.emplace_back(zeros(type.dims(), update_dtype(type.dtype())));
    state.slots.back().unobserved().impl().takes_layout_of(state.parameter.get()->unobserved().impl());
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

void Optimizer::step(std::span<const Tensor> gradients, std::source_location where) {
  const Scope scope("optimizer");
  const record::Call call("Optimizer.step", where);
  locate(call);
  before_step();
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
  note_who_takes_part();
  steps_ = steps_ + constant(1, DType::i64);
  const Tensor number = steps_.tensor().to(DType::f64);
  const bool has_skips = skip_counts_ != 0;
  std::vector<Update> updates;
  updates.reserve(updated.size());
  for (std::size_t i = 0; i < updated.size(); ++i) {
    State& state = *updated[i];
    const Tensor& value = state.named.parameter->tensor();
    const DType dtype = update_dtype(value.dtype());
    updates.push_back(
        {.parameter = state.named,
         .number = has_skips && state.skipped.defined() ? (steps_ - state.skipped).to(DType::f64) : number,
         .value = value.to(dtype),
         .gradient = gradients[i].to(dtype),
         .state = state.slots,
         .result = {}});
  }
  update(updates);
  for (Update& made : updates)
    *made.parameter.parameter = stop_gradient(made.result.to(made.parameter.parameter->dtype()));
}

}  // namespace weft::optim
