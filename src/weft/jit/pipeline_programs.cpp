#include <weft/jit/pipeline_programs.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <weft/base/metrics.h>
#include <weft/base/process.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/predicted_times.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/compiler/spmd/look_ahead.h>
#include <weft/ir/op.h>
#include <weft/record/backend.h>
#include <weft/record/mesh.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/repeated.h>

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
  const metrics::Timer timer(metrics::compile_time);
  metrics::pipeline_compiles.add();
  donatable.resize(program.inputs.size());
  shared.resize(program.inputs.size());
  std::optional<compiler::Report> report;
  return record::build_divided(record::backend(), graph, program, std::move(donatable), shared, {}, report);
}

const char* name_of(compiler::Ahead ahead) {
  switch (ahead) {
    case compiler::Ahead::nothing: return "base";
    case compiler::Ahead::ids: return "sparse_dist";
    case compiler::Ahead::lookups: return "fused_sparse_dist";
    case compiler::Ahead::stale_lookups: return "semi_sync";
  }
  WEFT_ASSERT(false, "a schedule of no kind");
}

// Returns what a step takes once the pipeline is filled, as predicted.
double period_us(const runtime::Executable& steady) {
  constexpr std::uint64_t launches = 8;
  const std::vector<double> ends = runtime::repeat(steady, launches, compiler::predicted_us);
  return (ends[launches - 1] - ends[launches / 2 - 1]) / (launches / 2);
}

double rounded(double ms) { return std::round(10 * ms) / 10; }

// Returns the program with what its launches give to each other: updated parameters and, of a pipeline, `values` that are computed ahead.
std::shared_ptr<const runtime::Executable> with_carried(const Specialization& step, const runtime::Executable& program,
                                                        std::size_t values) {
  auto steady = std::make_shared<runtime::Executable>(program);
  for (const auto& [place, parameter] : step.updates) {
    const auto input = std::ranges::find(step.inputs, parameter, &Place::parameter);
    if (place.kind == Place::Kind::result && input != step.inputs.end())
      steady->carried.push_back({place.index, static_cast<std::size_t>(input - step.inputs.begin())});
  }
  for (std::size_t i = 0; i < values; ++i)
    steady->carried.push_back({step.plan->executable->outputs.size() + i, step.inputs.size() + i});
  if (values > 0) steady->first_of_next = step.inputs.size() + values;
  return steady;
}

// A step that has been divided among the devices, from which the programs of its pipelines are built.
struct Division {
  explicit Division(const Specialization& step) : graph(graph_of(step)), program(divided(step, *graph)) {
    // The step donates what it donates without a pipeline.
    donatable.resize(step.inputs.size());
    for (const runtime::Output& output : step.plan->executable->outputs)
      if (output.donated_input >= 0) donatable[output.donated_input] = true;
    for (const runtime::LayoutId layout : step.plan->executable->input_layouts) shared.push_back(!layout);
  }

  // Returns the programs with what can be computed ahead, which are still to be built. They have no parts if nothing can be.
  PipelinePrograms programs(const Specialization& step, compiler::Ahead ahead) const {
    PipelinePrograms made;
    made.ahead = ahead;
    if (auto parts = compiler::look_ahead(program, inputs_of(step), results_of(step), ahead))
      made.parts = std::make_shared<const compiler::LookAhead>(*std::move(parts));
    return made;
  }
  void build_steady(const Specialization& step, PipelinePrograms& made) const {
    const auto built = build(*graph, made.parts->steady, donatable_with_values(made), shared);
    made.steady.executable = with_carried(step, *built, made.parts->values.size());
  }
  std::vector<bool> donatable_with_values(const PipelinePrograms& made) const {
    std::vector<bool> all = donatable;
    all.resize(donatable.size() + made.parts->values.size(), true);
    return all;
  }

  std::shared_ptr<const ir::Graph> graph;
  compiler::Partitioned program;
  std::vector<bool> donatable, shared;
};

}  // namespace

PipelinePrograms make_programs(const Specialization& step, const Pipeline::Choices& choices) {
  PipelinePrograms chosen;
  chosen.refusal = refusal_of(step);
  if (chosen.refusal.empty() && step.plan->executable->input_layouts.empty())
    chosen.refusal = "on one device, nothing waits for an exchange";
  if (!chosen.refusal.empty()) return chosen;
  const Division division(step);
  std::string compared;
  std::optional<double> least_us;
  std::optional<std::size_t> values;  // of the candidate before
  for (const compiler::Ahead ahead : choices.ahead) {
    PipelinePrograms made = division.programs(step, ahead);
    if (made.parts) {
      if (values == made.parts->values.size()) continue;  // nothing more runs ahead
      values = made.parts->values.size();
      division.build_steady(step, made);
    } else {
      made.refusal = ahead != compiler::Ahead::nothing ? "no exchange of the step can run ahead"
                     : choices.ahead.size() == 1       ? "the schedule computes nothing ahead"
                                                       : "this is predicted to be the fastest";
    }
    if (choices.ahead.size() == 1) {
      chosen = std::move(made);
      break;
    }
    const auto steady = steady_of(step, made);
    const double us = period_us(*steady);
    const std::uint64_t bytes = steady->peak_bytes;
    compared += concat(compared.empty() ? "" : ", ", name_of(ahead), " takes ", rounded(1e-3 * us), " ms and ",
                       format_bytes(bytes), bytes > choices.memory_bytes ? ", too much" : "");
    const bool is_last = ahead == choices.ahead.back();
    if (bytes > choices.memory_bytes ? least_us || !is_last : least_us && us >= *least_us) continue;
    least_us = us;
    chosen = std::move(made);
  }
  chosen.compared = std::move(compared);
  if (!chosen.parts) return chosen;
  chosen.fill.executable = build(*division.graph, chosen.parts->fill, {}, {});
  chosen.drain.executable =
      build(*division.graph, chosen.parts->drain, division.donatable_with_values(chosen), division.shared);
  return chosen;
}

std::shared_ptr<const runtime::Executable> steady_of(const Specialization& step, const PipelinePrograms& programs) {
  return programs.parts ? programs.steady.executable : with_carried(step, *step.plan->executable, 0);
}

namespace {
// Returns what a step is predicted to take if lookups read tables that lack an update; nullopt if none can.
std::optional<double> stale_period_us(const Specialization& step) {
  const Division division(step);
  PipelinePrograms stale = division.programs(step, compiler::Ahead::stale_lookups);
  if (!stale.parts) return std::nullopt;
  division.build_steady(step, stale);
  return period_us(*stale.steady.executable);
}
}  // namespace

std::string waits_between_steps(const Specialization& step, const PipelinePrograms& programs) {
  if (!refusal_of(step).empty() || step.plan->executable->input_layouts.empty()) return {};
  const auto steady = steady_of(step, programs);
  const double us = period_us(*steady);
  std::string text;
  const auto tell = [&](std::size_t count, const char* one, const char* several, std::string_view how,
                        double without_us) {
    text += concat("  ", count, ' ', count == 1 ? one : several, how, rounded(1e-3 * without_us), " ms\n");
  };
  const std::vector<compiler::StepInput> inputs = inputs_of(step);
  std::size_t tables = 0, others = 0;
  runtime::Executable free = *steady;
  free.carried.clear();
  for (const runtime::Carried& value : steady->carried) {
    const bool is_of_step = value.input < inputs.size();  // and not computed ahead
    const bool is_table = is_of_step && inputs[value.input].kind == compiler::StepInput::Kind::table;
    if (is_table) ++tables;
    if (is_of_step && !is_table) {
      ++others;
    } else {
      free.carried.push_back(value);
    }
  }
  if (tables > 0 && programs.ahead != compiler::Ahead::stale_lookups)
    if (const auto us_of_stale = stale_period_us(step))
      tell(tables, "matrix of tables", "matrices of tables",
           ": the next step looks up after the update; with stale(\"tables\", 1): ", *us_of_stale);
  if (others > 0)
    tell(others, "parameter or state", "parameters and states",
         ": the next step uses them after the update; without this wait: ", period_us(free));
  if (!text.empty()) text = concat("  between steps, of ", rounded(1e-3 * us), " ms as predicted:\n", text);
  return text;
}

}  // namespace weft::jit
