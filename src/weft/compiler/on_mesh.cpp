#include <weft/compiler/on_mesh.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <weft/compiler/compiler.h>
#include <weft/compiler/exchanged_tensors.h>
#include <weft/compiler/phase.h>
#include <weft/compiler/sharding_layout.h>
#include <weft/compiler/spmd/buckets.h>
#include <weft/compiler/spmd/describe_division.h>
#include <weft/compiler/spmd/remedies.h>
#include <weft/compiler/spmd/replicated_state.h>
#include <weft/compiler/spmd/updated_inputs.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/shards.h>
#include <weft/runtime/device.h>
#include <weft/runtime/program_description.h>
#include <weft/runtime/replicas.h>

namespace weft::compiler {

namespace {

// Returns the outputs for the results of the first device, then those of the second one, and so on.
std::vector<ir::Array> assembled(const Partitioned& program, std::span<const ir::Array> results) {
  std::vector<ir::Array> outputs;
  const std::size_t count = program.outputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<ir::Array> shards;
    for (std::size_t at = i; at < results.size(); at += count) shards.push_back(results[at]);
    const ir::Sharding& sharding = program.outputs[i];
    outputs.push_back(ir::assemble(shards, sharding, sharding.whole_type(program.graph->outputs()[i].type())));
  }
  return outputs;
}

// Returns a program that gives every device a copy of a tensor.
std::shared_ptr<const runtime::Executable> make_gather(Type type, const ir::Sharding& sharding) {
  ir::Graph graph;
  graph.name = "gather";
  graph.set_outputs({graph.add_input(type)});
  const ir::Sharding replicated(sharding.mesh(), type.rank());
  return compile_for_mesh(
      partition(graph, sharding.mesh(), std::array{sharding}, std::array{std::optional(replicated)}),
      Options::from_knobs());
}

// Returns options for later use: the observer may end before the executable does.
Options without_observer(Options options) {
  options.observer = nullptr;
  return options;
}

runtime::Placed placed(Type shard, const ir::Sharding& sharding, bool is_shared) {
  return {sharding.whole_type(shard), is_shared ? runtime::LayoutId() : layout_for(sharding)};
}

}  // namespace

std::shared_ptr<const runtime::Executable> for_mesh(const std::shared_ptr<const runtime::Executable>& one,
                                                    const Partitioned& program, const Options& options,
                                                    const std::vector<bool>& shared) {
  std::vector<runtime::Placed> inputs, outputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    inputs.push_back(placed(program.graph->inputs()[i].type(), program.inputs[i], i < shared.size() && shared[i]));
  for (std::size_t i = 0; i < program.outputs.size(); ++i)
    outputs.push_back(placed(program.graph->outputs()[i].type(), program.outputs[i], false));
  std::vector<std::int32_t> updated;
  if (options.overlaps() && program.whole) updated = updated_inputs(*program.whole);
  auto all = runtime::for_devices(one, runtime::local_devices(program.mesh.devices()), inputs, outputs, updated);
  if (all->describe)
    all->describe = [describe = all->describe, program, options = without_observer(options)] {
      runtime::ProgramDescription description = describe();
      description.exchanged = exchanged_tensors(program, options, description);
      description.replicated = replicated_state(program);
      return description;
    };
  return all;
}

std::shared_ptr<const runtime::Executable> compile_for_mesh(const Partitioned& program, Options options, Report* report,
                                                            const std::vector<bool>& shared) {
  options.devices = program.mesh.devices();
  if (runtime::ranks().count > 1) options.link.leaves_cpus = true;
  Report before;
  if (report) before.passes = std::move(report->passes);
  const Partitioned joined = [&] {
    const Phase phase(before, "join-collectives");
    return join_collectives(program, options);
  }();
  const auto one = compile(*joined.graph, options, report);
  if (report) {
    report->passes.insert(report->passes.begin(), before.passes.begin(), before.passes.end());
    report->division = describe_division(joined);
    report->add_remedies = [joined, options = without_observer(options)](const NameOfInput& name, Division& division) {
      add_remedies(joined, options, name, division);
    };
    if (!report->not_hidden.empty()) report->division->joined.push_back(report->not_hidden);
  }
  return for_mesh(one, joined, options, shared);
}

std::shared_ptr<const runtime::Executable> compile_for_shards(const Partitioned& program, Options options) {
  options.devices = program.mesh.devices();
  const Partitioned joined = join_collectives(program, options);
  return runtime::for_separate_shards(compile(*joined.graph, options),
                                      {.first = 0, .count = static_cast<std::uint32_t>(program.mesh.devices())});
}

runtime::BufferPtr readable(runtime::Device& on, const runtime::BufferPtr& buffer) {
  const runtime::LayoutId layout = buffer->layout();
  if (!layout || layout->holds_all()) return buffer;
  static std::mutex mutex;
  static auto* const known =  // never destroyed: programs may run until the process ends
      new std::map<std::pair<std::uint32_t, std::string>, std::shared_ptr<const runtime::Executable>>;
  const std::lock_guard lock(mutex);
  auto& gather = (*known)[{layout.number(), concat(buffer->type())}];
  if (!gather) gather = make_gather(buffer->type(), sharding_of(layout));
  return on.launch(gather, std::array{buffer})[0];
}

std::vector<ir::Array> run_on_mesh(const std::shared_ptr<const runtime::Executable>& executable, runtime::Device& on,
                                   std::span<const ir::Array> inputs, double* ms) {
  std::vector<runtime::BufferPtr> buffers;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    buffers.push_back(on.upload(inputs[i].type(), inputs[i].bytes(), executable->input_layout(i)));
  const auto start = std::chrono::steady_clock::now();
  const std::vector<runtime::BufferPtr> made = on.launch(executable, buffers);
  for (const runtime::BufferPtr& buffer : made) buffer->wait();
  if (ms) *ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::vector<ir::Array> outputs;
  for (const runtime::BufferPtr& buffer : made) outputs.emplace_back(buffer->type(), readable(on, buffer)->bytes());
  return outputs;
}

std::vector<ir::Array> interpret_on_mesh(const Partitioned& program, std::span<const ir::Array> inputs) {
  // The shards of all inputs for the first device, then those for the second one, and so on.
  std::vector<std::vector<ir::Array>> shards;
  for (std::size_t i = 0; i < inputs.size(); ++i) shards.push_back(ir::shards_of(inputs[i], program.inputs[i]));
  std::vector<ir::Array> arrays;
  for (std::int64_t device = 0; device < program.mesh.devices(); ++device)
    for (auto& of_input : shards) arrays.push_back(std::move(of_input[device]));
  return assembled(program, interpret_shards(program.graph, program.mesh.devices(), arrays));
}

std::vector<ir::Array> interpret_shards(const std::shared_ptr<const ir::Graph>& program, std::int64_t devices,
                                        std::span<const ir::Array> shards) {
  ir::Graph grid;
  std::vector<ir::Value> operands;
  for (const ir::Array& shard : shards) operands.push_back(grid.add_input(shard.type()));
  const std::vector<std::shared_ptr<const ir::Graph>> programs(devices, program);
  const ir::RunParallelAttributes attributes{.partitions = devices};
  ir::Node& node = grid.append(ir::ops::run_parallel, operands, &attributes, {}, programs);
  std::vector<ir::Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  grid.set_outputs(results);
  return ir::interpret(grid, shards);
}

}  // namespace weft::compiler
