#include <weft/compiler/spmd/regions.h>

#include <algorithm>
#include <optional>

#include <weft/compiler/spmd/partition.h>
#include <weft/compiler/spmd/precedence.h>
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

class Regions {
 public:
  Regions(const ir::Node& node, const ir::Mesh& mesh, Precedence precedence)
      : node_(node), mesh_(mesh), precedence_(std::move(precedence)) {}

  RegionTyping type_loop(const Shardings& operands) {
    const ir::Graph &condition = *node_.regions[0], &body = *node_.regions[1];
    find_carried_data(body);
    typing_.operands = typing_.results = carried(body, operands);
    divide_as(condition, typing_.operands, {ir::Sharding(mesh_, 0)});
    divide_as(body, typing_.operands, typing_.operands);
    return std::move(typing_);
  }

  RegionTyping type_branches(const Shardings& operands) {
    typing_.operands = operands;
    typing_.operands.front() = ir::Sharding(mesh_, operands.front().rank());  // all devices take the same branch
    if (!precedence_.is_data.empty()) precedence_.is_data.erase(precedence_.is_data.begin());
    const Shardings captures(typing_.operands.begin() + 1, typing_.operands.end());
    typing_.results = outputs_of(*node_.regions[0], captures, PartialOutputs::add);
    for (const ir::Graph* branch : node_.regions.subspan(1))
      typing_.results = common(typing_.results, outputs_of(*branch, captures, PartialOutputs::add));
    for (const ir::Graph* branch : node_.regions) divide_as(*branch, captures, typing_.results);
    return std::move(typing_);
  }

 private:
  // A value that a step computes from data is data in the next step.
  void find_carried_data(const ir::Graph& body) {
    std::vector<std::uint8_t>& is_data = precedence_.is_data;
    for (bool found = !is_data.empty(); found;) {
      found = false;
      const std::vector<std::uint8_t> nodes = nodes_of_data(body, precedence_);
      for (std::size_t i = 0; i < is_data.size(); ++i)
        if (is_data[i] == 0 && nodes[body.outputs()[i].node->id] != 0) is_data[i] = found = true;
    }
  }

  // Divides a region whose outputs shall be sharded as given.
  void divide_as(const ir::Graph& region, const Shardings& inputs, const Shardings& outputs) {
    const std::vector<std::optional<ir::Sharding>> wanted(outputs.begin(), outputs.end());
    Partitioned divided = divide(region, mesh_, inputs, wanted, PartialOutputs::add, precedence_);
    typing_.regions.push_back(std::move(divided.graph));
    typing_.communications.insert(typing_.communications.end(), divided.communications.begin(),
                                  divided.communications.end());
  }

  Shardings outputs_of(const ir::Graph& region, const Shardings& inputs, PartialOutputs partial) const {
    const std::vector<std::optional<ir::Sharding>> any(region.outputs().size());
    return divide(region, mesh_, inputs, any, partial, precedence_).outputs;
  }

  // Returns the same without the partial sums that each step would add first. A step adds them last instead, so that the result of the
  // loop is no partial sum.
  Shardings with_sums_of_steps(const ir::Graph& body, Shardings carried) const {
    const std::vector<std::optional<ir::Sharding>> any(body.outputs().size());
    const Partitioned step = divide(body, mesh_, carried, any, PartialOutputs::keep, precedence_);
    for (const Communication& c : step.communications)
      if (const auto* input = c.sent().node->attributes_if<ir::ParameterAttributes>();
          input && c.node->graph == step.graph.get())
        carried[input->index] = common(carried[input->index], carried[input->index]);
    return carried;
  }

  Shardings carried(const ir::Graph& body, const Shardings& operands) const {
    constexpr int rounds = 3;
    for (const PartialOutputs partial : {PartialOutputs::keep, PartialOutputs::add}) {
      Shardings now = operands;
      for (int round = 0; round < rounds; ++round) {
        Shardings next = outputs_of(body, now, partial);
        if (next == now) return partial == PartialOutputs::keep ? with_sums_of_steps(body, now) : now;
        now = std::move(next);
      }
    }
    Shardings now = common(operands, operands);  // without partial sums
    for (;;) {
      Shardings next = common(now, outputs_of(body, now, PartialOutputs::add));
      if (next == now) return now;
      now = std::move(next);
    }
  }

  const ir::Node& node_;
  const ir::Mesh& mesh_;
  Precedence precedence_;
  RegionTyping typing_;
};

}  // namespace

RegionTyping type_regions(const ir::Node& node, const ir::Mesh& mesh, std::span<const ir::Sharding> operands,
                          const Precedence& precedence) {
  Regions regions(node, mesh, precedence);
  const Shardings given(operands.begin(), operands.end());
  return node.op->flow == ir::Flow::loop ? regions.type_loop(given) : regions.type_branches(given);
}

}  // namespace weft::compiler
