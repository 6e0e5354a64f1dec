#include <weft/jit/pipeline.h>

#include <algorithm>
#include <utility>

#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/compiler/spmd/look_ahead.h>
#include <weft/ir/op.h>
#include <weft/jit/parameter_buffers.h>
#include <weft/profile/hints.h>
#include <weft/record/backend.h>
#include <weft/record/immediates.h>
#include <weft/record/mesh.h>
#include <weft/record/sync.h>
#include <weft/runtime/executable.h>

namespace weft::jit {

namespace {

// Returns the reason why a step cannot be divided; empty if it can.
std::string refusal_of(const Specialization& step) {
  if (!step.rerecorded_because.empty()) return step.rerecorded_because;
  if (!step.plan || !step.graph) return "it returns no floating-point tensor, such as a loss";
  const auto is_result = [](const Place& place) { return place.kind == Place::Kind::result; };
  if (!std::ranges::all_of(step.updates, [&](const auto& update) { return is_result(update.first); }) ||
      !std::ranges::all_of(step.results, is_result))
    return "it returns or stores a tensor that it was given";
  return {};
}

std::vector<compiler::StepInput> inputs_of(const Specialization& step) {
  using compiler::StepInput;
  std::vector<StepInput> inputs;
  for (const Place& place : step.inputs) {
    StepInput& input = inputs.emplace_back();
    // A captured tensor is the same for every batch.
    if (place.kind == Place::Kind::argument || place.kind == Place::Kind::constant) input.kind = StepInput::Kind::batch;
    if (place.kind != Place::Kind::parameter || !place.parameter->sparse_update) continue;
    input.kind = StepInput::Kind::table;
    for (const auto& [next, parameter] : step.updates)
      if (parameter == place.parameter) input.next = next.index;
  }
  return inputs;
}

std::vector<std::size_t> results_of(const Specialization& step) {
  std::vector<std::size_t> results;
  for (const Place& place : step.results) results.push_back(place.index);
  return results;
}

// Returns the graph of the step with its outputs.
std::shared_ptr<const ir::Graph> graph_of(const Specialization& step) {
  const auto copy = compiler::copy_of(*step.graph);
  WEFT_ASSERT(copy->nodes().size() == step.graph->nodes().size(), "a copy has other nodes");
  std::vector<ir::Value> outputs;
  for (const ir::Value v : step.output_values) outputs.push_back({copy->nodes()[v.node->id], v.index});
  copy->set_outputs(std::move(outputs));
  return copy;
}

// Divides the step among the devices as it was divided when it was compiled.
compiler::Partitioned divided(const Specialization& step, const ir::Graph& graph) {
  const runtime::Executable& whole = *step.plan->executable;
  const auto first = std::ranges::find_if(whole.input_layouts, [](runtime::LayoutId layout) { return bool(layout); });
  record::MeshProgram program{
      .mesh = compiler::sharding_of(*first).mesh(), .inputs = whole.input_layouts, .outputs = {}};
  program.outputs.resize(whole.outputs.size());
  for (const auto& [place, parameter] : step.updates)
    program.outputs[place.index] = parameter->unobserved().impl().layout;
  return record::divide_for_mesh(graph, program);
}

// Builds one of the programs. `donatable` and `shared` say so of its first inputs; the others are neither.
std::shared_ptr<const runtime::Executable> build(const ir::Graph& graph, const compiler::Partitioned& program,
                                                 std::vector<bool> donatable, std::vector<bool> shared) {
  donatable.resize(program.inputs.size());
  shared.resize(program.inputs.size());
  std::optional<compiler::Report> report;
  return record::build_divided(record::backend(), graph, program, std::move(donatable), shared, {}, report);
}

// Moves inputs that are on one device to the devices of the mesh.
void move_to_mesh(const runtime::Executable& executable, std::span<runtime::BufferPtr> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (const runtime::LayoutId layout = executable.input_layout(i); layout && inputs[i] && !inputs[i]->layout())
      inputs[i] = record::moved(inputs[i], layout);
}

}  // namespace

struct Pipeline::Program {
  std::shared_ptr<const runtime::Executable> executable;
  record::ImmediatePool numbers = {};
};

struct Pipeline::Programs {
  std::optional<compiler::LookAhead> parts;
  std::string refusal;  // the reason why there are no parts
  Program fill, steady, drain;
};

Pipeline::Pipeline(compiler::Ahead ahead) : ahead_(ahead) {}

Pipeline::~Pipeline() {
  if (pending_)
    WEFT_LOG(warnings, pending_->step->function,
             ": a pipeline ends before the step of its last call: call finish() until it returns nothing");
}

Pipeline::Programs& Pipeline::programs_of(const std::shared_ptr<const Specialization>& step) {
  constexpr std::size_t most_kept = 16;  // of different sizes
  if (programs_.size() >= most_kept && !programs_.contains(step))
    std::erase_if(programs_, [&](const auto& known) { return !pending_ || pending_->step != known.first; });
  const auto [entry, is_new] = programs_.try_emplace(step);
  if (is_new) entry->second = std::make_unique<Programs>();
  Programs& made = *entry->second;
  if (!is_new) return made;
  made.refusal = refusal_of(*step);
  const runtime::Executable* const whole = step->plan ? step->plan->executable.get() : nullptr;
  if (made.refusal.empty() && whole->input_layouts.empty())
    made.refusal = "on one device, nothing waits for an exchange";
  if (!made.refusal.empty()) return made;
  const auto graph = graph_of(*step);
  made.parts = compiler::look_ahead(divided(*step, *graph), inputs_of(*step), results_of(*step), ahead_);
  if (!made.parts) {
    made.refusal = ahead_ == compiler::Ahead::nothing ? "the schedule computes nothing ahead"
                                                      : "no exchange of the step can run ahead";
    return made;
  }
  // The step donates what it donates without a pipeline, and the values.
  std::vector<bool> donatable(step->inputs.size()), shared;
  for (const runtime::Output& output : whole->outputs)
    if (output.donated_input >= 0) donatable[output.donated_input] = true;
  donatable.resize(step->inputs.size() + made.parts->values.size(), true);
  for (const runtime::LayoutId layout : whole->input_layouts) shared.push_back(!layout);
  made.fill.executable = build(*graph, made.parts->fill, {}, {});
  made.steady.executable = build(*graph, made.parts->steady, donatable, shared);
  made.drain.executable = build(*graph, made.parts->drain, donatable, shared);
  return made;
}

Pipeline::Pending Pipeline::pending_of(const std::shared_ptr<const Specialization>& step,
                                       std::span<const Leaf> arguments) {
  Pending pending{.step = step, .tensors = {}, .numbers = step->immediates_now(arguments), .values = {}};
  for (const Place& place : step->inputs) {
    const bool is_held = place.kind == Place::Kind::argument || place.kind == Place::Kind::constant;
    pending.tensors.push_back(is_held ? place.tensor(arguments) : Tensor());
  }
  return pending;
}

void Pipeline::feed(const std::shared_ptr<const Specialization>& step, std::span<const Leaf> arguments) {
  Programs& programs = programs_of(step);
  if (!programs.parts) {
    drain();
    std::vector<Tensor> results;
    step->replay(arguments, results);
    finished_.push_back({step, std::move(results)});
    return;
  }
  Pending next = pending_of(step, arguments);
  std::vector<runtime::BufferPtr> batch;
  for (const std::size_t i : programs.parts->batch) batch.push_back(buffer_of(next.tensors[i]));
  if (pending_ && pending_->step == step) {
    Pending last = *std::exchange(pending_, std::nullopt);  // if its launch fails, it is not tried again
    next.values = launch(programs.steady, last, batch);
  } else {
    drain();
    for (const std::size_t i : programs.parts->tables)
      batch.push_back(buffer_of(step->inputs[i].parameter->unobserved()));
    move_to_mesh(*programs.fill.executable, batch);
    device().launch(programs.fill.executable, batch, next.values);
  }
  pending_ = std::move(next);
}

void Pipeline::drain() {
  if (!pending_) return;
  Pending last = *std::exchange(pending_, std::nullopt);
  launch(programs_of(last.step).drain, last, {});
}

std::vector<runtime::BufferPtr> Pipeline::launch(Program& program, Pending& pending,
                                                 std::span<const runtime::BufferPtr> batch) {
  const Specialization& step = *pending.step;
  require(step.is_alive(), step.function, ": ", Specialization::is_gone,
          " since the call that is still to be launched");
  std::vector<runtime::BufferPtr> inputs;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Place& place = step.inputs[i];
    inputs.push_back(place.kind == Place::Kind::number      ? nullptr
                     : place.kind == Place::Kind::parameter ? buffer_of(place.parameter->unobserved())
                                                            : buffer_of(pending.tensors[i]));
  }
  std::ranges::move(pending.values, std::back_inserter(inputs));
  inputs.insert(inputs.end(), batch.begin(), batch.end());
  move_to_mesh(*program.executable, inputs);
  program.numbers.fill(inputs, program.executable->inputs, pending.numbers);
  std::vector<record::TensorImpl*> released;
  for (const auto& [place, parameter] : step.updates) release(*parameter, released);
  std::vector<runtime::BufferPtr> made;
  try {
    device().launch(program.executable, inputs, made);
  } catch (...) {
    for (record::TensorImpl* impl : released) impl->buffer->add_holder();
    throw;
  }
  inputs.clear();
  std::ranges::sort(released);
  for (const auto& [place, parameter] : step.updates) assign(*parameter, made[place.index], released);
  Finished finished{.step = pending.step, .results = {}};
  for (const Place& place : step.results) finished.results.emplace_back(made[place.index]);
  finished_.push_back(std::move(finished));
  metrics::mark_step.add();
  profile::step_done(*program.executable, step.nodes);
  return {made.begin() + static_cast<std::ptrdiff_t>(step.plan->executable->outputs.size()), made.end()};
}

std::uint64_t Pipeline::peak_bytes() const {
  std::uint64_t peak = 0;
  for (const auto& [step, programs] : programs_)
    peak = std::max(peak, programs->parts ? programs->steady.executable->peak_bytes
                          : step->plan    ? step->plan->executable->peak_bytes
                                          : 0);
  return peak;
}

std::optional<Pipeline::Steady> Pipeline::steady() const {
  const auto found = pending_ ? programs_.find(pending_->step) : programs_.begin();
  if (found == programs_.end() || !found->first->plan) return std::nullopt;
  const auto& [step, programs] = *found;
  Steady steady{.executable = programs->parts ? programs->steady.executable : step->plan->executable,
                .carried = {},
                .first_ahead = step->inputs.size()};
  for (const auto& [place, parameter] : step->updates) {
    const auto input = std::ranges::find(step->inputs, parameter, &Place::parameter);
    if (place.kind == Place::Kind::result && input != step->inputs.end())
      steady.carried.push_back({place.index, static_cast<std::size_t>(input - step->inputs.begin())});
  }
  if (!programs->parts) return steady;
  for (std::size_t i = 0; i < programs->parts->values.size(); ++i)
    steady.carried.push_back({step->plan->executable->outputs.size() + i, step->inputs.size() + i});
  steady.first_ahead += programs->parts->values.size();
  return steady;
}

std::vector<FinishedStep> take_finished(Pipeline& pipeline) {
  std::vector<FinishedStep> all;
  for (Pipeline::Finished& finished : pipeline.take())
    all.push_back(
        {std::shared_ptr<const Prototype>(finished.step, &finished.step->prototype), std::move(finished.results)});
  return all;
}

std::string Pipeline::explain() const {
  std::string text;
  for (const auto& [step, programs] : programs_) {
    text += concat(step->function, ": ");
    if (!programs->parts) {
      text += concat("steps run one after the other: ", programs->refusal, '\n');
      continue;
    }
    text += concat(
        "while a step runs, ", programs->parts->values.size(), " exchanges of the next one do",
        ahead_ == compiler::Ahead::stale_lookups ? ", from tables that lack the update of the current step" : "", '\n');
    for (const compiler::Communication& exchange : programs->parts->exchanges)
      text += concat("  ", exchange.node->op->name, " of ", exchange.received(), " for ",
                     exchange.reason ? exchange.reason->name : "an output",
                     exchange.location.line == 0 ? "" : concat(" at ", place_text(exchange.location)), '\n');
  }
  return text;
}

}  // namespace weft::jit
