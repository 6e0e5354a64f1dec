#include <weft/compiler/spmd/regions.h>

#include <algorithm>
#include <optional>

#include <weft/compiler/spmd/partition.h>
#include <weft/ir/op.h>

namespace weft::compiler {

namespace {

using Shardings = std::vector<ir::Sharding>;

// Returns what two shardings have in common: of each dimension, the axes with which both begin.
ir::Sharding common(const ir::Sharding& a, const ir::Sharding& b) {
  std::vector<ir::Sharding::Axes> dims;
  for (int d = 0; d < a.rank(); ++d)
    dims.emplace_back(a.axes(d).begin(), std::ranges::mismatch(a.axes(d), b.axes(d)).in1);
  return {a.mesh(), std::move(dims)};
}

Shardings common(const Shardings& a, const Shardings& b) {
  Shardings both;
  for (std::size_t i = 0; i < a.size(); ++i) both.push_back(common(a[i], b[i]));
  return both;
}

// Divides a region whose outputs shall be sharded as given.
void divide(const ir::Graph& region, const ir::Mesh& mesh, const Shardings& inputs, const Shardings& outputs,
            RegionTyping& typing) {
  const std::vector<std::optional<ir::Sharding>> wanted(outputs.begin(), outputs.end());
  Partitioned divided = partition(region, mesh, inputs, wanted);
  typing.regions.push_back(std::move(divided.graph));
  typing.communications.insert(typing.communications.end(), divided.communications.begin(),
                               divided.communications.end());
}

Shardings outputs_of(const ir::Graph& region, const ir::Mesh& mesh, const Shardings& inputs, PartialOutputs partial) {
  return partition(region, mesh, inputs, {}, partial).outputs;
}

Shardings carried(const ir::Graph& body, const ir::Mesh& mesh, const Shardings& operands) {
  constexpr int rounds = 3;
  for (const PartialOutputs partial : {PartialOutputs::keep, PartialOutputs::add}) {
    Shardings now = operands;
    for (int round = 0; round < rounds; ++round) {
      Shardings next = outputs_of(body, mesh, now, partial);
      if (next == now) return now;
      now = std::move(next);
    }
  }
  Shardings now = common(operands, operands);  // without partial sums
  for (;;) {
    Shardings next = common(now, outputs_of(body, mesh, now, PartialOutputs::add));
    if (next == now) return now;
    now = std::move(next);
  }
}

RegionTyping type_loop(const ir::Node& node, const ir::Mesh& mesh, const Shardings& operands) {
  const ir::Graph &condition = *node.regions[0], &body = *node.regions[1];
  RegionTyping typing;
  typing.operands = typing.results = carried(body, mesh, operands);
  divide(condition, mesh, typing.operands, {ir::Sharding(mesh, 0)}, typing);
  divide(body, mesh, typing.operands, typing.operands, typing);
  return typing;
}

RegionTyping type_branches(const ir::Node& node, const ir::Mesh& mesh, const Shardings& operands) {
  RegionTyping typing;
  typing.operands = operands;
  typing.operands.front() = ir::Sharding(mesh, operands.front().rank());  // all devices take the same branch
  const Shardings captures(typing.operands.begin() + 1, typing.operands.end());
  typing.results = outputs_of(*node.regions[0], mesh, captures, PartialOutputs::add);
  for (const ir::Graph* branch : node.regions.subspan(1))
    typing.results = common(typing.results, outputs_of(*branch, mesh, captures, PartialOutputs::add));
  for (const ir::Graph* branch : node.regions) divide(*branch, mesh, captures, typing.results, typing);
  return typing;
}

}  // namespace

RegionTyping type_regions(const ir::Node& node, const ir::Mesh& mesh, std::span<const ir::Sharding> operands) {
  const Shardings given(operands.begin(), operands.end());
  return node.op->flow == ir::Flow::loop ? type_loop(node, mesh, given) : type_branches(node, mesh, given);
}

}  // namespace weft::compiler
