#include <apps/lab/mesh_simulation.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <apps/lab/device_times.h>
#include <apps/lab/mesh_layout.h>
#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/trace.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/spmd/buckets.h>
#include <weft/compiler/spmd/describe_division.h>
#include <weft/compiler/spmd/partition.h>
#include <weft/optim/adam.h>
#include <weft/profile/intervals.h>
#include <weft/runtime/simulated/simulated_device.h>
#include <weft/train/step_clock.h>

namespace weft::lab {

namespace {

using Clock = std::chrono::steady_clock;

// The program of one device, compiled to run alone.
struct DeviceProgram {
  std::shared_ptr<const runtime::Executable> executable;
  SimulatedStep step;  // without times
  std::uint32_t devices_together = 1;
};

// `stands_for` devices share a machine.
DeviceProgram compile_program(const RecordedStep& recorded, const MeshVariant& variant, std::int64_t devices,
                              std::uint32_t stands_for, const compiler::Link& link) {
  const MeshLayout layout = layout_of(variant, devices, recorded);
  const Clock::time_point start = Clock::now();
  const compiler::Partitioned divided =
      compiler::partition(*recorded.graph, layout.mesh, layout.inputs, layout.outputs);
  auto options = compiler::Options::from_knobs();
  options.name = "train_step";
  options.devices = static_cast<std::uint32_t>(devices);
  options.stands_for = stands_for;
  options.link = link;
  for (const RecordedStep::Input& input : recorded.inputs) options.donatable.push_back(input.updated_by >= 0);
  const compiler::Partitioned joined = compiler::join_collectives(divided, options);
  DeviceProgram program{.executable = compiler::compile(*joined.graph, options),
                        .step = {.layout = variant.name, .mesh = concat(layout.mesh), .devices = devices},
                        .devices_together = stands_for};
  SimulatedStep& step = program.step;
  step.compile_s = train::seconds_since(start);
  step.batch = recorded.graph->inputs()[0].type().size(0);
  step.collectives = compiler::operations(joined).size();
  for (const compiler::Communication& c : joined.communications) step.sent_bytes += c.sent_bytes;
  for (std::size_t i = 0; i < recorded.inputs.size(); ++i)
    if (const auto role = recorded.inputs[i].role;
        role == RecordedStep::Role::parameter || role == RecordedStep::Role::state)
      step.state_bytes += static_cast<double>(program.executable->inputs[i].bytes());
  step.formula_bytes = layout.formula_bytes.value_or(-1);
  step.peak_bytes = static_cast<double>(program.executable->peak_bytes);
  return program;
}

using ThunkTime = std::function<double(const runtime::Thunk& thunk)>;

bool is_collective(const runtime::Thunk& thunk) { return thunk.info.link_seconds > 0; }

// Replays steps of a device's program on a simulated device. The times are in microseconds.
StepFigures replay(const DeviceProgram& program, const RecordedStep& recorded, const ThunkTime& time,
                   const ThunkTime& taken_from_computation) {
  std::vector<profile::Interval> communicating, computing;
  const auto ns = [](double us) { return static_cast<std::uint64_t>(1e3 * us); };
  runtime::Simulation simulation;
  simulation.thunk_us = time;
  simulation.taken_us = taken_from_computation;
  simulation.ran = [&](const runtime::Thunk& thunk, double begin_us, double end_us) {
    (is_collective(thunk) ? communicating : computing).push_back({ns(begin_us), ns(end_us)});
  };
  runtime::SimulatedDevice device(simulation);
  DeviceSteps steps(program.executable, recorded, device);
  const auto host_ms = [&] { return 1e-6 * static_cast<double>(device.stats().host_ns); };
  steps.run();  // the first step waits for nothing that an earlier one does
  const double start = host_ms();
  communicating.clear();
  computing.clear();
  constexpr int count = 4;
  for (int i = 0; i < count; ++i) steps.run();
  StepFigures figures{.step_ms = (host_ms() - start) / count};
  const profile::Intervals all(std::move(communicating)), hidden(std::move(computing));
  for (const profile::Interval& part : all.parts()) {
    const auto length = part.end - part.begin, within = hidden.within(part.begin, part.end);
    figures.communication_ms += 1e-6 * static_cast<double>(length) / count;
    figures.exposed_ms += 1e-6 * static_cast<double>(length - within) / count;
  }
  return figures;
}

// Predicts a step from the times of the program that ran alone, in which collectives took next to nothing.
StepFigures predict(const DeviceProgram& program, const RecordedStep& recorded, const DeviceTimes& times) {
  const auto measured_us = [&](const runtime::Thunk& thunk) {
    const auto found = times.us.find(thunk.info.name);
    return found == times.us.end() ? 0 : found->second;
  };
  // What the replay of that run lacks, such as passing thunks to streams, is taken to be proportional to their times.
  const StepFigures alone = replay(program, recorded, measured_us, [](const runtime::Thunk&) { return 0; });
  const double together = program.devices_together, scale = together * times.step_ms / alone.step_ms;
  // Devices exchange bytes by copies that each machine makes for all of its devices.
  const auto copying_us = [&](const runtime::Thunk& thunk) {
    return 1e6 * together * thunk.info.bytes / times.memory_bytes_per_s;
  };
  const auto predicted_us = [&](const runtime::Thunk& thunk) {
    return is_collective(thunk) ? std::max(1e6 * thunk.info.link_seconds, copying_us(thunk))
                                : scale * measured_us(thunk);
  };
  return replay(program, recorded, predicted_us, copying_us);
}

StepFigures measure(const SimulationOptions& options, const MeshVariant& variant, std::int64_t devices) {
  const knobs::Override<knobs::Text> link(knobs::link,
                                          concat("latency_us=", options.link.latency_us, ",gb_s=", options.link.gb_s));
  const MeshRun run = measure_step({.devices = devices, .batches = {}, .steps = options.steps}, variant,
                                   options.batch * devices, [](std::int64_t, double) {});
  return {.step_ms = 1e-6 * run.analysis.step_spread().p10,
          .communication_ms = run.communication_ms(),
          .exposed_ms = run.exposed_share() * run.communication_ms()};
}

SimulatedStep simulate(const SimulationOptions& options, const RecordedStep& recorded, const MeshVariant& variant,
                       std::int64_t devices) {
  DeviceProgram program = compile_program(recorded, variant, devices, 1, options.link);
  program.step.predicted = predict(program, recorded, measure_device(program.executable, recorded, options.steps));
  return program.step;
}

// Predicts and measures a step for devices that share this machine. One device and all of them run in turn, twice, and the quicker runs
// count, because others may use the machine as well.
ComparedStep compare(const SimulationOptions& options, const RecordedStep& recorded, const MeshVariant& variant,
                     std::int64_t devices) {
  DeviceProgram program =
      compile_program(recorded, variant, devices, static_cast<std::uint32_t>(devices), options.link);
  DeviceTimes times = measure_device(program.executable, recorded, options.steps);
  StepFigures measured = measure(options, variant, devices);
  times.step_ms = std::min(times.step_ms, measure_device(program.executable, recorded, options.steps).step_ms);
  measured = std::min(measured, measure(options, variant, devices),
                      [](const StepFigures& one, const StepFigures& other) { return one.step_ms < other.step_ms; });
  program.step.predicted = predict(program, recorded, times);
  return {.simulated = std::move(program.step), .measured = measured};
}

}  // namespace

SimulationReport simulate_mesh(const SimulationOptions& options, const std::function<void(const std::string&)>& done) {
  require(!trace::enabled(), "lab mesh: it makes profiles of its own: not below weft profile");
  const VitConfig config;
  Vit model(config);
  optim::Adam optimizer(model, {.lr = 1e-3});
  SimulationReport report{.parameters = nn::parameter_count(model), .steps = {}, .compared = {}};
  const auto tell = [&](const MeshVariant& variant, std::int64_t devices, const char* what) {
    if (done) done(concat(what, ' ', variant.name, " on ", devices, " devices"));
  };
  for (const std::int64_t devices : options.devices) {
    const RecordedStep recorded = record_step(config, model, optimizer, options.batch * devices);
    for (const MeshVariant& variant : simulated_layouts()) {
      report.steps.push_back(simulate(options, recorded, variant, devices));
      tell(variant, devices, "simulated");
    }
  }
  for (const std::int64_t devices : options.measured) {
    const RecordedStep recorded = record_step(config, model, optimizer, options.batch * devices);
    for (const MeshVariant& variant : simulated_layouts()) {
      if (devices == 1 && &variant != &simulated_layouts().front()) continue;  // one device has one layout
      report.compared.push_back(compare(options, recorded, variant, devices));
      tell(variant, devices, "measured");
    }
  }
  return report;
}

}  // namespace weft::lab
