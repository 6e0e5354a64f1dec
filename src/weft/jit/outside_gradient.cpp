#include <weft/jit/outside_gradient.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <weft/ir/autodiff.h>
#include <weft/jit/specialization.h>

namespace weft::jit {

using record::LaunchedGraph;

namespace {

// Returns whether a floating-point output depends on a floating-point input by way of nodes that `passes` accepts.
bool depends(const ir::Graph& graph, std::span<const ir::Value> outputs, bool (*passes)(const ir::Node&)) {
  std::vector<bool> leads(graph.nodes().size());
  for (const ir::Value input : graph.inputs()) leads[input.node->id] = is_float(input.dtype());
  for (const ir::Node* node : graph.nodes())
    if (passes(*node) &&
        std::ranges::any_of(node->operands, [&](ir::Value operand) { return leads[operand.node->id]; }))
      leads[node->id] = true;
  return std::ranges::any_of(outputs, [&](ir::Value y) { return is_float(y.dtype()) && leads[y.node->id]; });
}

}  // namespace

std::shared_ptr<DifferentiableProgram> DifferentiableProgram::make(const Specialization& made,
                                                                   const LaunchedGraph& recorded,
                                                                   std::vector<ir::Value> outputs) {
  const auto any = [](const ir::Node&) { return true; };
  const bool takes_gradients = !recorded.program->differentiated.empty();
  if (!takes_gradients && !depends(recorded.graph(), outputs, any)) return nullptr;
  const bool has_gradients = takes_gradients || depends(recorded.graph(), outputs, ir::passes_derivatives);
  auto program = std::make_shared<DifferentiableProgram>();
  program->function_ = made.function;
  program->program_ = *recorded.program;
  program->program_.callee = program.get();
  program->outputs_ = std::move(outputs);
  program->inputs_ = made.inputs;
  program->holds_arguments_ = has_gradients && !made.aliases_matter;
  program->find_states(made);
  return program;
}

void DifferentiableProgram::find_states(const Specialization& made) {
  // A call that is recorded every time may have destroyed a parameter.
  const bool may_have_ended = !made.rerecorded_because.empty();
  const auto state = [&](ir::Value value, const Parameter& parameter) {
    return State{value, &parameter, may_have_ended ? nullptr : parameter.lifetime().watch()};
  };
  std::unordered_set<const Parameter*> replaced;
  for (const auto& [place, parameter] : made.updates)
    if (place.kind == Place::Kind::result) replaced.insert(parameter);
  for (std::size_t i = 0; i < made.inputs.size(); ++i) {
    const Place& input = made.inputs[i];
    const ir::Value value = program_.graph->inputs()[i];
    const bool is_parameter = input.kind == Place::Kind::parameter;
    names_.push_back(is_parameter && may_have_ended ? "a parameter" : made.name_of(input));
    if (is_parameter && replaced.contains(input.parameter)) {
      replaced_.push_back(value);
      continue;
    }
    noted_inputs_.push_back(i);
    if (is_parameter) states_.push_back(state(value, *input.parameter));
  }
  std::vector<const Parameter*> receivers(outputs_.size());
  std::vector<int> places(outputs_.size());
  const auto note = [&](const Place& place, const Parameter* parameter) {
    if (place.kind != Place::Kind::result) return;
    receivers[place.index] = parameter;
    ++places[place.index];
  };
  for (const auto& [place, parameter] : made.updates) note(place, parameter);
  for (const Place& place : made.results) note(place, nullptr);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const bool is_new_state = places[i] == 1 && receivers[i];
    (is_new_state ? new_state_results_ : noted_results_).push_back(i);
    if (is_new_state) new_states_.push_back(state(outputs_[i], *receivers[i]));
  }
}

std::shared_ptr<const LaunchedGraph> DifferentiableProgram::launched(std::span<const Leaf> leaves,
                                                                     std::span<const runtime::BufferPtr> inputs,
                                                                     std::span<const record::Immediate> immediates,
                                                                     std::span<const runtime::BufferPtr> results) {
  auto launched = std::make_shared<LaunchedGraph>();
  launched->program = program();
  launched->nodes = launched->graph().nodes().size();
  launched->states.reserve(states_.size());
  launched->new_states.reserve(new_states_.size());
  launched->known.reserve(noted_inputs_.size() - states_.size() + noted_results_.size());
  launched->numbers.reserve(immediates.size());
  std::vector<runtime::BufferPtr> arguments;
  std::size_t number = 0;
  for (const std::uint32_t i : noted_inputs_) {
    const Place& place = inputs_[i];
    const ir::Value value = program_.graph->inputs()[i];
    if (place.kind == Place::Kind::number) {
      launched->numbers.emplace_back(value, immediates[number++]);
      continue;
    }
    const record::TensorImpl& impl = place.tensor(leaves).impl();
    const std::uint64_t identity = place.is_copy ? LaunchedGraph::Known::nobody : impl.identity();
    if (place.kind == Place::Kind::parameter) {
      launched->states.push_back({inputs[i]->id(), identity});
    } else {
      LaunchedGraph::Known& known = launched->known.emplace_back(value, inputs[i], inputs[i]->id(),
                                                                 impl.is_state.load(std::memory_order_relaxed));
      known.identity = identity;
      if (impl.origin) launched->follow(known, impl.origin);
      known.is_lost |= impl.cut;
      if (place.kind == Place::Kind::argument && holds_arguments_) arguments.push_back(inputs[i]);
    }
  }
  for (const std::uint32_t i : noted_results_) launched->known.push_back({outputs_[i], results[i], results[i]->id()});
  for (const std::uint32_t i : new_state_results_) launched->new_states.push_back(results[i]->id());
  holds(launched, arguments);
  return launched;
}

void DifferentiableProgram::holds(const std::shared_ptr<LaunchedGraph>& call,
                                  std::span<const runtime::BufferPtr> arguments) {
  if (!holds_arguments_) return;
  for (const runtime::BufferPtr& buffer : arguments) call->hold(buffer);
  const std::lock_guard lock(mutex_);
  if (const auto last = last_.lock()) last->let_go();
  last_ = call;
}

void DifferentiableProgram::add_states(LaunchedGraph& graph) const {
  const auto add = [&](const State& state, std::uint64_t id) -> LaunchedGraph::Known& {
    LaunchedGraph::Known& known = graph.known.emplace_back(state.value, std::weak_ptr<runtime::Buffer>(), id);
    if (!state.lifetime || record::has_ended(state.lifetime)) return known;
    const Tensor& now = state.parameter->unobserved();
    if (now.defined() && now.impl().buffer && now.impl().buffer->id() == id) known.buffer = now.impl().buffer;
    return known;
  };
  for (std::size_t i = 0; i < states_.size(); ++i) {
    LaunchedGraph::Known& known = add(states_[i], graph.states[i].buffer_id);
    known.is_state = true;
    known.identity = graph.states[i].identity;
  }
  for (std::size_t i = 0; i < new_states_.size(); ++i) add(new_states_[i], graph.new_states[i]);
  for (const ir::Value value : replaced_)
    graph.known.push_back({.value = value, .buffer = {}, .buffer_id = 0, .is_state = true});  // nothing can be it
}

void DifferentiableProgram::connect(const Tensor& result, std::size_t index,
                                    const std::shared_ptr<const LaunchedGraph>& graph) const {
  if (is_float(result.dtype())) result.impl().origin = {graph, outputs_[index]};
}

}  // namespace weft::jit
