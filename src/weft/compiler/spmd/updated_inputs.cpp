#include <weft/compiler/spmd/updated_inputs.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <weft/ir/op.h>

namespace weft::compiler {

std::vector<std::int32_t> updated_inputs(const ir::Graph& graph) {
  constexpr std::size_t most_nodes = 256;
  std::map<const ir::Node*, std::size_t> inputs;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) inputs[graph.inputs()[i].node] = i;
  // For each output, the inputs of its type from which it is computed element by element.
  std::vector<std::pair<std::vector<std::size_t>, std::int32_t>> candidates;
  for (std::size_t o = 0; o < graph.outputs().size(); ++o) {
    const ir::Value output = graph.outputs()[o];
    std::vector<const ir::Node*> reached{output.node};
    std::set<const ir::Node*> known{output.node};
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < reached.size() && at < most_nodes; ++at) {
      const ir::Node& node = *reached[at];
      if (const auto input = inputs.find(&node); input != inputs.end() && node.type() == output.type())
        found.push_back(input->second);
      if (node.op->kind != ir::Kind::elementwise) continue;
      for (const ir::Value v : node.operands)
        if (known.insert(v.node).second) reached.push_back(v.node);
    }
    if (!found.empty() && found.front() < graph.inputs().size())
      candidates.emplace_back(found, static_cast<std::int32_t>(o));
  }
  // An output with fewer candidates chooses first: the moments of Adam, before the parameter, which depends on them.
  std::ranges::stable_sort(candidates, {}, [](const auto& c) { return c.first.size(); });
  std::vector<std::int32_t> updated(graph.inputs().size(), -1);
  for (const auto& [from, output] : candidates)
    if (const auto free = std::ranges::find_if(from, [&](std::size_t i) { return updated[i] < 0; }); free != from.end())
      updated[*free] = output;
  return updated;
}

}  // namespace weft::compiler
