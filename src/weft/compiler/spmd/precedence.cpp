#include <weft/compiler/spmd/precedence.h>

#include <algorithm>

#include <weft/ir/op.h>

namespace weft::compiler {

namespace {

// Returns, for each axis, whether it splits one of these inputs.
std::vector<std::uint8_t> axes_of(std::span<const ir::Sharding> inputs, std::span<const std::uint8_t> is_data,
                                  int which) {
  std::vector<std::uint8_t> splits;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    splits.resize(inputs[i].mesh().axes().size());
    if (is_data[i] != which) continue;
    for (int d = 0; d < inputs[i].rank(); ++d)
      for (const int axis : inputs[i].axes(d)) splits[axis] = 1;
  }
  return splits;
}

}  // namespace

Precedence precedence_of_data(const ir::Graph& graph, std::span<const ir::Sharding> inputs,
                              std::span<const std::optional<ir::Sharding>> outputs) {
  Precedence precedence;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto replaces = [&](std::size_t output) {
      return outputs[output] && *outputs[output] == inputs[i] &&
             graph.outputs()[output].type() == graph.inputs()[i].type();
    };
    bool is_state = false;
    for (std::size_t output = 0; output < outputs.size(); ++output) is_state = is_state || replaces(output);
    precedence.is_data.push_back(is_state ? 0 : 1);
  }
  const auto of_data = axes_of(inputs, precedence.is_data, 1), of_state = axes_of(inputs, precedence.is_data, 0);
  for (std::size_t axis = 0; axis < of_data.size(); ++axis)
    if (of_data[axis] != 0 && of_state[axis] != 0) return precedence;
  return {};
}

std::vector<std::uint8_t> nodes_of_data(const ir::Graph& graph, const Precedence& precedence) {
  std::vector<std::uint8_t> depends(graph.nodes().size());
  if (precedence.is_data.empty()) return depends;
  for (const ir::Node* node : graph.nodes()) {
    const auto* parameter = node->attributes_if<ir::ParameterAttributes>();
    depends[node->id] =
        parameter ? precedence.is_data[parameter->index]
                  : std::ranges::any_of(node->operands, [&](ir::Value v) { return depends[v.node->id] != 0; });
  }
  return depends;
}

}  // namespace weft::compiler
