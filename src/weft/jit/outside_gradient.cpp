#include <weft/jit/outside_gradient.h>

#include <algorithm>
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
  const bool takes_gradients = !recorded.differentiated.empty();
  if (!takes_gradients && !depends(*recorded.graph, outputs, any)) return nullptr;
  const bool has_gradients = takes_gradients || depends(*recorded.graph, outputs, ir::passes_derivatives);
  auto program = std::make_shared<DifferentiableProgram>();
  program->function_ = made.function;
  program->graph_ = recorded.graph;
  program->differentiated_ = recorded.differentiated;
  program->copies_ = recorded.copies;
  program->outputs_ = std::move(outputs);
  program->inputs_ = made.inputs;
  program->holds_arguments_ = has_gradients && !made.aliases_matter;
  for (const Place& input : made.inputs) {
    // A call that is recorded every time may have destroyed a parameter.
    const bool may_have_ended = input.kind == Place::Kind::parameter && !made.rerecorded_because.empty();
    program->names_.push_back(may_have_ended ? "a parameter" : made.name_of(input));
    const bool is_watched = input.kind == Place::Kind::parameter && !may_have_ended;
    program->parameters_ += input.kind == Place::Kind::parameter;
    program->lifetimes_.push_back(is_watched ? input.parameter->lifetime().watch() : nullptr);
  }
  return program;
}

std::shared_ptr<const LaunchedGraph> DifferentiableProgram::launched(std::span<const Leaf> leaves,
                                                                     std::span<const runtime::BufferPtr> inputs,
                                                                     std::span<const record::Immediate> immediates,
                                                                     std::span<const runtime::BufferPtr> results) {
  auto launched = std::make_shared<LaunchedGraph>();
  launched->graph = graph_;
  launched->nodes = graph_->nodes().size();
  launched->differentiated = differentiated_;
  launched->copies = copies_;
  launched->callee = shared_from_this();
  std::vector<Held> held;
  held.reserve(parameters_);
  launched->known.reserve(inputs_.size() - parameters_ + results.size());
  std::vector<runtime::BufferPtr> arguments;
  std::size_t number = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Place& place = inputs_[i];
    const ir::Value value = graph_->inputs()[i];
    if (place.kind == Place::Kind::number) {
      launched->numbers.emplace_back(value, immediates[number++]);
      continue;
    }
    const record::TensorImpl& impl = place.tensor(leaves).impl();
    const std::uint64_t identity = place.is_copy ? LaunchedGraph::Known::nobody : impl.identity();
    if (place.kind == Place::Kind::parameter) {
      held.push_back({inputs[i]->id(), identity});
    } else {
      LaunchedGraph::Known& known = launched->known.emplace_back(value, inputs[i], inputs[i]->id(),
                                                                 impl.is_state.load(std::memory_order_relaxed));
      known.identity = identity;
      if (impl.origin) launched->follow(known, impl.origin);
      known.is_lost |= impl.cut;
      if (place.kind == Place::Kind::argument) arguments.push_back(inputs[i]);
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    launched->known.push_back({outputs_[i], results[i], results[i]->id()});
  launched->fill = [this, held = std::move(held)](LaunchedGraph& graph) { find_parameters(graph, held); };
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

void DifferentiableProgram::find_parameters(LaunchedGraph& graph, std::span<const Held> held) const {
  auto next = held.begin();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Place& place = inputs_[i];
    if (place.kind != Place::Kind::parameter) continue;
    const auto [id, identity] = *next++;
    LaunchedGraph::Known& known =
        graph.known.emplace_back(graph_->inputs()[i], std::weak_ptr<runtime::Buffer>(), id, true);
    known.identity = identity;
    if (!record::has_ended(lifetimes_[i])) {
      const Tensor& now = place.parameter->unobserved();
      if (now.defined() && now.impl().buffer && now.impl().buffer->id() == id) known.buffer = now.impl().buffer;
    }
  }
}

void DifferentiableProgram::connect(const Tensor& result, std::size_t index,
                                    const std::shared_ptr<const LaunchedGraph>& graph) const {
  if (is_float(result.dtype())) result.impl().origin = {graph, outputs_[index]};
}

}  // namespace weft::jit
