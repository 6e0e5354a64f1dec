#include <algorithm>
#include <cstring>

#include <weft/compiler/on_mesh.h>
#include <weft/ir/array.h>
#include <weft/ir/interpreter.h>
#include <weft/record/backend.h>
#include <weft/runtime/executable.h>

namespace weft::record {

namespace {

// A thunk whose reads are the graph's inputs and whose writes are its outputs, both in order.
class InterpreterThunk final : public runtime::Thunk {
 public:
  InterpreterThunk(std::shared_ptr<const ir::Graph> graph, bool for_devices) : graph_(std::move(graph)) {
    meets = for_devices;
  }

  void run(const runtime::Launch& launch) const override {
    std::vector<ir::Array> inputs;
    read_inputs(launch, inputs);
    write_outputs(launch, ir::interpret(*graph_, inputs));
  }
  void run_together(std::span<const runtime::Launch> launches) const override {
    std::vector<ir::Array> inputs;
    for (const runtime::Launch& launch : launches) read_inputs(launch, inputs);
    std::span<const ir::Array> rest = inputs = compiler::interpret_shards(graph_, launches.size(), inputs);
    for (const runtime::Launch& launch : launches) {
      write_outputs(launch, rest.first(writes.size()));
      rest = rest.subspan(writes.size());
    }
  }

 private:
  void read_inputs(const runtime::Launch& launch, std::vector<ir::Array>& inputs) const {
    for (std::size_t i = 0; i < reads.size(); ++i)
      inputs.emplace_back(graph_->inputs()[i].type(), std::span<const std::byte>(launch.at(reads[i]), reads[i].bytes));
  }
  void write_outputs(const runtime::Launch& launch, std::span<const ir::Array> outputs) const {
    for (std::size_t i = 0; i < writes.size(); ++i) std::ranges::copy(outputs[i].bytes(), launch.at(writes[i]));
  }

  std::shared_ptr<const ir::Graph> graph_;
};

std::uint32_t allocate(runtime::Executable& executable, runtime::Allocation::Kind kind, std::size_t index, Type type) {
  executable.allocations.push_back(
      {kind, static_cast<std::uint32_t>(index), static_cast<std::uint64_t>(type.bytes()), 0, nullptr});
  executable.peak_bytes += static_cast<std::uint64_t>(type.bytes());
  return executable.allocations.size() - 1;
}

}  // namespace

std::shared_ptr<const runtime::Executable> interpreted(std::shared_ptr<const ir::Graph> graph,
                                                       const std::vector<bool>& donatable, bool for_devices) {
  auto executable = std::make_shared<runtime::Executable>();
  auto thunk = std::make_unique<InterpreterThunk>(graph, for_devices);
  executable->name = program_name(*graph);
  thunk->info = {.name = "interpret", .category = "host", .source = "", .scope = ""};
  std::vector<bool> free = donatable;
  for (const ir::Value input : graph->inputs()) {
    const std::size_t index = executable->inputs.size();
    executable->inputs.push_back(input.type());
    const std::uint32_t allocation = allocate(*executable, runtime::Allocation::Kind::input, index, input.type());
    thunk->reads.push_back({allocation, 0, static_cast<std::uint64_t>(input.type().bytes())});
  }
  free.resize(executable->inputs.size());
  for (const ir::Value output : graph->outputs()) {
    // All inputs are read before any output is written, so an output may take over any input of its type.
    std::int32_t donated = -1;
    for (std::size_t i = 0; i < free.size() && donated < 0; ++i) {
      if (free[i] && executable->inputs[i] == output.type()) donated = i;
    }
    if (donated >= 0) free[donated] = false;
    const std::size_t index = executable->outputs.size();
    const std::uint32_t allocation = allocate(*executable, runtime::Allocation::Kind::output, index, output.type());
    executable->outputs.push_back({output.type(), allocation, donated});
    thunk->writes.push_back({allocation, 0, static_cast<std::uint64_t>(output.type().bytes())});
  }
  executable->thunks.push_back(std::move(thunk));
  return executable;
}

}  // namespace weft::record
