#include <weft/jit/pipeline.h>

#include <algorithm>
#include <utility>

#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/compiler/spmd/look_ahead.h>
#include <weft/ir/op.h>
#include <weft/jit/parameter_buffers.h>
#include <weft/jit/pipeline_programs.h>
#include <weft/profile/hints.h>
#include <weft/record/immediates.h>
#include <weft/record/mesh.h>
#include <weft/record/sync.h>
#include <weft/runtime/executable.h>

namespace weft::jit {

namespace {

// Moves inputs that are on one device to the devices of the mesh.
void move_to_mesh(const runtime::Executable& executable, std::span<runtime::BufferPtr> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (const runtime::LayoutId layout = executable.input_layout(i); layout && inputs[i] && !inputs[i]->layout())
      inputs[i] = record::moved(inputs[i], layout);
}

}  // namespace

Pipeline::Pipeline(Choices choices) : choices_(std::move(choices)) {
  WEFT_ASSERT(!choices_.ahead.empty(), "a pipeline without a choice");
}

Pipeline::~Pipeline() {
  if (pending_)
    WEFT_LOG(warnings, pending_->step->function,
             ": a pipeline ends before the step of its last call: call finish() until it returns nothing");
}

PipelinePrograms& Pipeline::programs_of(const std::shared_ptr<const Specialization>& step) {
  constexpr std::size_t most_kept = 16;  // of different sizes
  if (programs_.size() >= most_kept && !programs_.contains(step))
    std::erase_if(programs_, [&](const auto& known) { return !pending_ || pending_->step != known.first; });
  const auto [entry, is_new] = programs_.try_emplace(step);
  if (is_new) entry->second = std::make_unique<PipelinePrograms>();
  PipelinePrograms& made = *entry->second;
  if (!is_new) return made;
  made = make_programs(*step, choices_);
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
  PipelinePrograms& programs = programs_of(step);
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

std::vector<runtime::BufferPtr> Pipeline::launch(PipelineProgram& program, Pending& pending,
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

std::shared_ptr<const runtime::Executable> Pipeline::steady() const {
  const auto found = pending_ ? programs_.find(pending_->step) : programs_.begin();
  if (found == programs_.end() || !found->first->plan) return nullptr;
  return steady_of(*found->first, *found->second);
}

std::vector<FinishedStep> take_finished(Pipeline& pipeline) {
  std::vector<FinishedStep> all;
  for (Pipeline::Finished& finished : pipeline.take())
    all.push_back(
        {std::shared_ptr<const Prototype>(finished.step, &finished.step->prototype), std::move(finished.results)});
  return all;
}

std::string Pipeline::explain(const ExplainOptions& options) const {
  std::string text;
  for (const auto& [step, programs] : programs_) {
    text += concat(step->function, ": ");
    if (!programs->parts) {
      text += concat("steps run one after the other: ", programs->refusal, '\n');
      if (!programs->compared.empty()) text += concat("  predicted: ", programs->compared, '\n');
      if (options.remedies) text += waits_between_steps(*step, *programs);
      continue;
    }
    text += concat("while a step runs, ", programs->parts->values.size(), " exchanges of the next one do",
                   programs->ahead == compiler::Ahead::stale_lookups
                       ? ", from tables that lack the update of the current step"
                       : "",
                   '\n');
    for (const compiler::Communication& exchange : programs->parts->exchanges)
      text += concat("  ", exchange.node->op->name, " of ", exchange.received(), " for ",
                     exchange.reason ? exchange.reason->name : "an output",
                     exchange.location.line == 0 ? "" : concat(" at ", place_text(exchange.location)), '\n');
    if (!programs->compared.empty()) text += concat("  predicted: ", programs->compared, '\n');
    if (options.remedies) text += waits_between_steps(*step, *programs);
  }
  return text;
}

}  // namespace weft::jit
