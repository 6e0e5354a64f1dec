#include <weft/ir/varying.h>

#include <algorithm>
#include <bit>
#include <optional>

#include <weft/ir/array.h>
#include <weft/ir/device_groups.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using PerDevice = std::vector<Array>;  // what each device computes

class Analysis {
 public:
  Analysis(const Graph& program, const Mesh& mesh) : program_(program), mesh_(mesh), known_(program.nodes().size()) {}

  std::vector<AxisMask> run(std::span<const AxisMask> inputs) {
    std::vector<std::vector<AxisMask>> masks(program_.nodes().size());
    std::size_t next_input = 0;
    const auto at = [&](Value v) { return masks[v.node->id][v.index]; };
    for (const Node* node : program_.nodes()) {
      auto& results = masks[node->id];
      if (is_parameter(*node)) {
        results = {inputs[next_input++]};
        continue;
      }
      std::vector<AxisMask> operands;
      for (const Value v : node->operands) operands.push_back(at(v));
      results = of_node(*node, operands);
    }
    std::vector<AxisMask> outputs;
    for (const Value v : program_.outputs()) outputs.push_back(at(v));
    return outputs;
  }

 private:
  std::vector<AxisMask> of_node(const Node& node, const std::vector<AxisMask>& operands) {
    AxisMask any = 0;
    for (const AxisMask mask : operands) any |= mask;
    const auto all_results = [&](AxisMask mask) { return std::vector<AxisMask>(node.types.size(), mask); };
    if (const auto exact = of_device_number(node)) return {*exact};
    switch (node.op->flow) {
      case Flow::loop: return of_loop(node, operands);
      case Flow::branches: return of_branches(node, operands);
      case Flow::call: return varying(*node.regions[0], mesh_, operands);
      default: break;
    }
    switch (node.op->collective) {
      case Collective::none: return all_results(any);
      case Collective::process_id: return all_results(all_axes());
      case Collective::all_reduce:
      case Collective::all_gather: return all_results(any & ~shared_axes(node));
      default: return all_results(any | mask_of(groups(node)));
    }
  }

  // Numbers that a device computes from its own number, such as its coordinate along an axis, are compared between the devices.
  std::optional<AxisMask> of_device_number(const Node& node) {
    const bool is_number = node.types.size() == 1 && node.type().rank() == 0 && !is_float(node.type().dtype());
    if (!is_number || !node.regions.empty()) return std::nullopt;
    PerDevice& numbers = known_[node.id];
    for (std::int64_t device = 0; device < mesh_.devices(); ++device) {
      if (node.op->collective == Collective::process_id) {
        Array& number = numbers.emplace_back(node.type());
        visit(number.dtype(), [&]<class T>(T) { number.data<T>()[0] = static_cast<T>(device); });
        continue;
      }
      const bool computes = node.op->kind == Kind::elementwise || node.op->kind == Kind::source;
      std::vector<Array> operands;
      for (const Value v : node.operands)
        if (!known_[v.node->id].empty()) operands.push_back(known_[v.node->id][device]);
      if (!computes || operands.size() != node.operands.size()) return std::nullopt;
      numbers.push_back(interpret_node(node, operands)[0]);
    }
    AxisMask mask = 0;
    for (int axis = 0; axis < std::ssize(mesh_.axes()); ++axis) {
      const int along[] = {axis};
      for (const auto& group : device_groups(mesh_, along))
        for (const std::int64_t device : group)
          if (numbers[device] != numbers[group.front()]) mask |= AxisMask{1} << axis;
    }
    return mask;
  }

  std::vector<AxisMask> of_loop(const Node& node, std::vector<AxisMask> carried) {
    for (;;) {
      const AxisMask goes_on = varying(*node.regions[0], mesh_, carried)[0];
      std::vector<AxisMask> next = varying(*node.regions[1], mesh_, carried);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] |= carried[i] | goes_on;
      if (next == carried) return carried;
      carried = std::move(next);
    }
  }

  std::vector<AxisMask> of_branches(const Node& node, std::span<const AxisMask> operands) {
    std::vector<AxisMask> results(node.types.size(), operands[0]);
    for (const Graph* branch : node.regions) {
      const std::vector<AxisMask> of_branch = varying(*branch, mesh_, operands.subspan(1));
      for (std::size_t i = 0; i < results.size(); ++i) results[i] |= of_branch[i];
    }
    return results;
  }

  std::vector<ProcessGroup> groups(const Node& node) const { return groups_of(node, 1, mesh_.devices()); }
  AxisMask mask_of(std::span<const ProcessGroup> groups) const {
    AxisMask mask = 0;
    for (const int axis : axes_of(groups, mesh_)) mask |= AxisMask{1} << axis;
    return mask;
  }
  // The axes along which all devices get the same result.
  AxisMask shared_axes(const Node& node) const {
    const std::vector<ProcessGroup> met = groups(node);
    const Sharding::Axes axes = axes_of(met, mesh_);
    const auto is_whole = [&](const ProcessGroup& group) { return std::ssize(group) == devices_along(mesh_, axes); };
    return std::ranges::all_of(met, is_whole) ? mask_of(met) : 0;
  }
  AxisMask all_axes() const { return (AxisMask{1} << mesh_.axes().size()) - 1; }

  const Graph& program_;
  const Mesh& mesh_;
  std::vector<PerDevice> known_;  // by node
};

}  // namespace

std::vector<AxisMask> varying(const Graph& program, const Mesh& mesh, std::span<const AxisMask> inputs) {
  return Analysis(program, mesh).run(inputs);
}

}  // namespace weft::ir
