#include <weft/compiler/spmd/replicas.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include <weft/base/error.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using ir::Collective;
using ir::Node;
using ir::Value;

// Returns whether the groups of a collective with a channel are groups of partitions. Those of the other ones are groups of devices if they
// say so (use_global_device_ids).
bool has_groups_of_partitions(Collective kind) {
  return kind == Collective::all_to_all || kind == Collective::broadcast || kind == Collective::permute;
}

class Replicas {
 public:
  explicit Replicas(std::int64_t count) : all_(static_cast<std::size_t>(count)) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  std::shared_ptr<ir::Graph> run(const ir::Graph& graph) const {
    Rewriter rewriter(graph);
    auto result = rewriter.run([&](const Node& node, std::span<const Value> operands) {
      return replacement(rewriter.graph(), node, operands);
    });
    result->name = graph.name;
    return result;
  }

 private:
  std::optional<std::vector<Value>> replacement(ir::Graph& graph, const Node& node,
                                                std::span<const Value> operands) const {
    if (node.op == &ir::ops::replica_id) return results_of(graph.append(ir::ops::partition_id, {}));
    if (node.op == &ir::ops::partition_id) return std::vector{ir::constant(graph, node.types[0], 0)};
    const bool meets = node.op->collective != Collective::none && node.op->collective != Collective::process_id;
    if (!meets && node.regions.empty()) return std::nullopt;
    std::vector<std::shared_ptr<const ir::Graph>> regions;
    for (const ir::Graph* region : node.regions) regions.push_back(run(*region));
    if (!meets) return results_of(graph.append(*node.op, operands, node.attribute_data, node.types, regions));
    const ir::CollectiveAttributes attributes = of_partitions(node);
    return results_of(graph.append(*node.op, operands, &attributes, node.types, regions));
  }

  // Without groups, all replicas meet.
  ir::CollectiveAttributes of_partitions(const Node& node) const {
    auto attributes = node.attributes<ir::CollectiveAttributes>();
    const Collective kind = node.op->collective;
    if (kind == Collective::reduce || (attributes.channel > 0 && has_groups_of_partitions(kind)))
      throw UnsupportedError(concat(node.op->name, ": is not supported in a program of several replicas"),
                             std::string(node.op->name));
    attributes.channel = 1;
    attributes.use_global_device_ids = !has_groups_of_partitions(kind);
    if (attributes.groups.values.empty() && kind != Collective::permute)
      attributes.groups = {static_cast<std::int64_t>(all_.size()), all_};
    return attributes;
  }

  static std::vector<Value> results_of(Node& node) {
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
    return results;
  }

  std::vector<std::int64_t> all_;
};

}  // namespace

Partitioned replicas_as_partitions(const ir::Graph& graph, std::int64_t replicas) {
  const ir::Mesh mesh{{"replicas", replicas}};
  Partitioned result{
      .mesh = mesh, .graph = Replicas(replicas).run(graph), .inputs = {}, .outputs = {}, .communications = {}};
  for (const Value input : graph.inputs()) result.inputs.emplace_back(mesh, input.rank());
  for (const Value output : graph.outputs()) result.outputs.emplace_back(mesh, output.rank());
  return result;
}

}  // namespace weft::compiler
