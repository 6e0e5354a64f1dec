#include <weft/compiler/thunks/interpret_thunk.h>

#include <cstring>

#include <weft/base/metrics.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/op.h>

namespace weft::metrics {
inline constinit Metric host_fallback_time("HostFallbackTime");  // time spent in ops without a kernel
}

namespace weft::compiler {

namespace {

class InterpretThunk final : public runtime::Thunk {
 public:
  InterpretThunk(std::shared_ptr<const ir::Graph> graph, std::span<const runtime::Slice> from,
                 std::span<const runtime::Slice> to)
      : graph_(std::move(graph)),
        reads_(from.begin(), from.end()),
        writes_(to.begin(), to.end()),
        runs_(metrics::named_counter(concat("host::", graph_->nodes().back()->op->name))) {}

  void run(const runtime::Launch& launch) const override {
    runs_.add();
    const metrics::Timer timer(metrics::host_fallback_time);
    std::vector<ir::Array> inputs;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      const Type type = graph_->inputs()[i].type();
      inputs.emplace_back(type,
                          std::span<const std::byte>(launch.at(reads_[i]), static_cast<std::size_t>(type.bytes())));
    }
    const auto outputs = ir::interpret(*graph_, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (!outputs[i].bytes().empty())
        std::memcpy(launch.at(writes_[i]), outputs[i].bytes().data(), outputs[i].bytes().size());
  }

 private:
  std::shared_ptr<const ir::Graph> graph_;
  std::vector<runtime::Slice> reads_, writes_;
  metrics::Counter& runs_;  // counts runs of the op, as PyTorch/XLA counts aten::
};

}  // namespace

Unit interpret_unit(const ir::Node& node) {
  auto graph = std::make_shared<ir::Graph>();
  std::vector<ir::Value> operands, outputs;
  Unit unit;
  for (const ir::Value v : node.operands) {
    operands.push_back(graph->add_input(v.type()));
    unit.reads.push_back(storage_of(v));
  }
  ir::Node& copy = graph->append_copy(node, operands);
  for (std::uint32_t i = 0; i < node.types.size(); ++i) {
    outputs.push_back(copy.result(i));
    unit.writes.push_back({const_cast<ir::Node*>(&node), i});
  }
  graph->set_outputs(std::move(outputs));
  unit.order = node.id;
  unit.info.category = "host fallback";
  unit.thunk().make = [graph](std::span<const runtime::Slice> reads, std::span<const runtime::Slice> writes,
                              const runtime::Slice&) { return std::make_unique<InterpretThunk>(graph, reads, writes); };
  return unit;
}

}  // namespace weft::compiler
