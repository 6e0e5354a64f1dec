#include <weft/compiler/spmd/on_mesh.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/shards.h>

namespace weft::compiler {

std::vector<ir::Array> interpret_on_mesh(const Partitioned& program, const ir::Mesh& mesh,
                                         std::span<const ir::Sharding> shardings, std::span<const ir::Array> inputs) {
  std::vector<std::vector<ir::Array>> shards;  // of each input
  for (std::size_t i = 0; i < inputs.size(); ++i) shards.push_back(ir::shards_of(inputs[i], shardings[i]));
  ir::Graph grid;
  std::vector<ir::Value> operands;
  std::vector<ir::Array> arrays;
  for (std::int64_t device = 0; device < mesh.devices(); ++device)
    for (const auto& of_input : shards) {
      operands.push_back(grid.add_input(of_input[device].type()));
      arrays.push_back(of_input[device]);
    }
  const std::vector<std::shared_ptr<const ir::Graph>> programs(mesh.devices(), program.graph);
  const ir::RunParallelAttributes attributes{.partitions = mesh.devices()};
  ir::Node& node = grid.append(ir::ops::run_parallel, operands, &attributes, {}, programs);
  std::vector<ir::Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  grid.set_outputs(results);
  const std::vector<ir::Array> computed = ir::interpret(grid, arrays);

  std::vector<ir::Array> whole;
  const std::size_t count = program.outputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<ir::Array> of_output;
    for (std::int64_t device = 0; device < mesh.devices(); ++device) of_output.push_back(computed[device * count + i]);
    whole.push_back(
        ir::assemble(of_output, program.outputs[i], program.outputs[i].whole_type(program.graph->outputs()[i].type())));
  }
  return whole;
}

}  // namespace weft::compiler
