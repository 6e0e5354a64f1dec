#include <weft/pjrt/interpreted.h>

#include <cstring>
#include <utility>
#include <vector>

#include <weft/compiler/on_mesh.h>
#include <weft/ir/interpreter.h>

namespace weft::pjrt {

namespace {

// Reads the inputs from the first slices, and writes the outputs to the others. Each input and output is a shard for each device.
class Interpretation final : public runtime::Thunk {
 public:
  Interpretation(std::shared_ptr<const ir::Graph> graph, std::int64_t devices)
      : graph_(std::move(graph)), devices_(devices) {}

  void run(const runtime::Launch& launch) const override {
    const auto shards = [&](std::span<const runtime::Slice> slices, std::size_t device, std::size_t i) {
      return launch.at(slices[i * static_cast<std::size_t>(devices_) + device]);
    };
    std::vector<ir::Array> inputs;
    for (std::size_t device = 0; std::cmp_less(device, devices_); ++device)
      for (std::size_t i = 0; i < graph_->inputs().size(); ++i) {
        const Type type = graph_->inputs()[i].type();
        inputs.emplace_back(
            type, std::span<const std::byte>(shards(reads, device, i), static_cast<std::size_t>(type.bytes())));
      }
    const std::vector<ir::Array> outputs = devices_ == 1
                                               ? ir::interpret(*graph_, inputs, {.host_context = launch.context})
                                               : compiler::interpret_shards(graph_, devices_, inputs);
    const std::size_t count = graph_->outputs().size();
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const auto bytes = outputs[i].bytes(); !bytes.empty())
        std::memcpy(shards(writes, i / count, i % count), bytes.data(), bytes.size());
  }

 private:
  std::shared_ptr<const ir::Graph> graph_;
  std::int64_t devices_;
};

}  // namespace

std::shared_ptr<const runtime::Executable> interpreted(std::shared_ptr<const ir::Graph> graph, std::string name,
                                                       std::int64_t devices) {
  using Kind = runtime::Allocation::Kind;
  auto program = std::make_shared<runtime::Executable>();
  auto thunk = std::make_shared<Interpretation>(graph, devices);
  const auto add = [&](Kind kind, std::size_t index, Type type) {
    const auto bytes = static_cast<std::uint64_t>(type.bytes());
    const auto at = static_cast<std::uint32_t>(program->allocations.size());
    program->allocations.push_back({.kind = kind, .index = static_cast<std::uint32_t>(index), .bytes = bytes});
    program->peak_bytes += bytes;
    return runtime::Slice{at, 0, bytes};
  };
  const auto count = static_cast<std::size_t>(devices);
  for (std::size_t i = 0; i < count * graph->inputs().size(); ++i) {
    const Type type = graph->inputs()[i / count].type();
    program->inputs.push_back(type);
    thunk->reads.push_back(add(Kind::input, i, type));
  }
  for (std::size_t i = 0; i < count * graph->outputs().size(); ++i) {
    const Type type = graph->outputs()[i / count].type();
    thunk->writes.push_back(add(Kind::output, i, type));
    program->outputs.push_back({.type = type, .allocation = thunk->writes.back().allocation});
  }
  thunk->info.name = "interpreter";
  thunk->info.category = "host fallback";
  program->name = std::move(name);
  program->thunks.push_back(std::move(thunk));
  return program;
}

}  // namespace weft::pjrt
