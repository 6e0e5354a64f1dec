#include <weft/compiler/on_mesh.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <weft/compiler/compiler.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/shards.h>
#include <weft/runtime/device.h>
#include <weft/runtime/replicas.h>

namespace weft::compiler {

namespace {

// Returns the shards of all inputs for the first device, then those for the second one, and so on.
std::vector<ir::Array> divided(std::span<const ir::Array> inputs, std::span<const ir::Sharding> shardings,
                               std::int64_t devices) {
  std::vector<std::vector<ir::Array>> shards;  // of each input
  for (std::size_t i = 0; i < inputs.size(); ++i) shards.push_back(ir::shards_of(inputs[i], shardings[i]));
  std::vector<ir::Array> all;
  for (std::int64_t device = 0; device < devices; ++device)
    for (auto& of_input : shards) all.push_back(std::move(of_input[device]));
  return all;
}

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

}  // namespace

std::shared_ptr<const runtime::Executable> compile_for_mesh(const Partitioned& program, const ir::Mesh& mesh,
                                                            Options options, Report* report) {
  options.devices = mesh.devices();
  const auto one = compile(*program.graph, options, report);
  return options.devices == 1 ? one : runtime::for_devices(one, options.devices);
}

std::vector<ir::Array> run_on_mesh(const std::shared_ptr<const runtime::Executable>& executable, runtime::Device& on,
                                   const Partitioned& program, std::span<const ir::Sharding> shardings,
                                   std::span<const ir::Array> inputs, double* ms) {
  const std::int64_t devices = executable->inputs.size() / std::max<std::size_t>(inputs.size(), 1);
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Array& shard : divided(inputs, shardings, devices))
    buffers.push_back(on.upload(shard.type(), shard.bytes()));
  const auto start = std::chrono::steady_clock::now();
  const std::vector<runtime::BufferPtr> made = on.launch(executable, buffers);
  for (const runtime::BufferPtr& buffer : made) (void)buffer->bytes();  // blocks until it is ready
  if (ms) *ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::vector<ir::Array> results;
  for (const runtime::BufferPtr& buffer : made) results.emplace_back(buffer->type(), buffer->bytes());
  return assembled(program, results);
}

std::vector<ir::Array> interpret_on_mesh(const Partitioned& program, const ir::Mesh& mesh,
                                         std::span<const ir::Sharding> shardings, std::span<const ir::Array> inputs) {
  const std::vector<ir::Array> arrays = divided(inputs, shardings, mesh.devices());
  ir::Graph grid;
  std::vector<ir::Value> operands;
  for (const ir::Array& array : arrays) operands.push_back(grid.add_input(array.type()));
  const std::vector<std::shared_ptr<const ir::Graph>> programs(mesh.devices(), program.graph);
  const ir::RunParallelAttributes attributes{.partitions = mesh.devices()};
  ir::Node& node = grid.append(ir::ops::run_parallel, operands, &attributes, {}, programs);
  std::vector<ir::Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  grid.set_outputs(results);
  return assembled(program, ir::interpret(grid, arrays));
}

}  // namespace weft::compiler
