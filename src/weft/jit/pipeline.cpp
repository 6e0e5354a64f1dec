#include <weft/jit/pipeline.h>

#include <algorithm>
#include <utility>

#include <weft/base/log.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/jit/parameter_buffers.h>
#include <weft/record/backend.h>
#include <weft/record/mesh.h>
#include <weft/record/sync.h>

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

std::optional<ir::Sharding> sharding_at(runtime::LayoutId layout) {
  return layout ? std::optional(compiler::sharding_of(layout)) : std::nullopt;
}

std::vector<StepInput> inputs_of(const Specialization& step) {
  std::vector<StepInput> inputs;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const Place& place = step.inputs[i];
    StepInput& input = inputs.emplace_back();
    input.sharding = sharding_at(step.plan->executable->input_layout(i));
    // What the function captured is the same for every batch.
    if (place.kind == Place::Kind::argument || place.kind == Place::Kind::constant) input.kind = StepInput::Kind::batch;
    if (place.kind != Place::Kind::parameter || !place.parameter->sparse_update) continue;
    input.kind = StepInput::Kind::table;
    for (const auto& [next, parameter] : step.updates)
      if (parameter == place.parameter) input.next = next.index;
  }
  return inputs;
}

// Builds one of the programs. Values that are computed ahead are donated; so are inputs that the step itself donates.
std::shared_ptr<const runtime::Executable> build(const Specialization& step, const LookAhead& parts,
                                                 std::shared_ptr<ir::Graph> graph, std::size_t step_inputs,
                                                 std::size_t step_outputs, std::span<const std::size_t> batch,
                                                 std::span<const std::size_t> tables) {
  const runtime::Executable& whole = *step.plan->executable;
  std::vector<bool> donatable(graph->inputs().size());
  std::vector<runtime::LayoutId> inputs(graph->inputs().size()), outputs(graph->outputs().size());
  for (std::size_t i = 0; i < step_inputs; ++i) inputs[i] = whole.input_layout(i);
  for (std::size_t i = 0; i < step_outputs; ++i) {
    outputs[i] = whole.output_layout(i);
    if (const std::int32_t from = whole.outputs[i].donated_input; from >= 0) donatable[from] = true;
  }
  const auto layout_of = [&](std::size_t value) {
    return parts.shardings[value] ? compiler::layout_for(*parts.shardings[value]) : runtime::LayoutId();
  };
  std::size_t next = step_inputs;
  for (std::size_t v = 0; step_inputs > 0 && v < parts.values.size(); ++v, ++next) {
    inputs[next] = layout_of(v);
    donatable[next] = true;
  }
  for (const std::size_t i : batch) inputs[next++] = whole.input_layout(i);
  for (const std::size_t i : tables) inputs[next++] = whole.input_layout(i);
  for (std::size_t v = 0; step_outputs + v < outputs.size(); ++v) outputs[step_outputs + v] = layout_of(v);
  std::optional<compiler::Report> report;
  if (whole.input_layouts.empty())
    return record::build(record::backend(), std::move(graph), std::move(donatable), report);
  const auto first = std::ranges::find_if(inputs, [](runtime::LayoutId layout) { return bool(layout); });
  return record::build_for_mesh(
      record::backend(), *graph,
      {.mesh = compiler::sharding_of(*first).mesh(), .inputs = std::move(inputs), .outputs = std::move(outputs)},
      std::move(donatable), report);
}

// Moves inputs that are on one device to the devices of the mesh.
void move_to_mesh(const runtime::Executable& executable, std::span<runtime::BufferPtr> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (const runtime::LayoutId layout = executable.input_layout(i); layout && inputs[i] && !inputs[i]->layout())
      inputs[i] = record::moved(inputs[i], layout);
}

}  // namespace

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
  Programs& made = entry->second;
  if (!is_new) return made;
  made.refusal = refusal_of(*step);
  if (made.refusal.empty() && step->plan->executable->input_layouts.empty())
    made.refusal = "on one device, nothing waits for an exchange";
  if (!made.refusal.empty()) return made;
  std::vector<ir::Value> results;
  for (const Place& place : step->results) results.push_back(step->output_values[place.index]);
  made.parts = look_ahead(*step->graph, step->output_values, results, inputs_of(*step), ahead_);
  if (!made.parts) {
    made.refusal =
        ahead_ == Ahead::nothing ? "the schedule computes nothing ahead" : "nothing of the step can be computed ahead";
    return made;
  }
  const LookAhead& parts = *made.parts;
  const std::size_t inputs = step->inputs.size(), outputs = step->plan->executable->outputs.size();
  made.fill.executable = build(*step, parts, parts.fill, 0, 0, parts.batch, parts.tables);
  made.steady.executable = build(*step, parts, parts.steady, inputs, outputs, parts.batch, {});
  made.drain.executable = build(*step, parts, parts.drain, inputs, outputs, {}, {});
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
  return {made.begin() + static_cast<std::ptrdiff_t>(step.plan->executable->outputs.size()), made.end()};
}

std::uint64_t Pipeline::peak_bytes() const {
  std::uint64_t peak = 0;
  for (const auto& [step, programs] : programs_)
    peak = std::max(peak, programs.parts ? programs.steady.executable->peak_bytes
                          : step->plan   ? step->plan->executable->peak_bytes
                                         : 0);
  return peak;
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
    if (!programs.parts) {
      text += concat("steps run one after the other: ", programs.refusal, '\n');
      continue;
    }
    text +=
        concat("while a step runs, ", programs.parts->values.size(), " values of the next one are computed",
               ahead_ == Ahead::stale_lookups ? ", from tables that lack the update of the current step" : "", '\n');
    for (std::size_t i = 0; i < programs.parts->values.size(); ++i) {
      const std::int64_t input = programs.parts->inputs[i];
      text += concat("  ", input < 0 ? programs.parts->names[i] : step->name_of(step->inputs[input]), ": ",
                     programs.parts->values[i], '\n');
    }
  }
  return text;
}

}  // namespace weft::jit
