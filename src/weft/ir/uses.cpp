#include <weft/ir/uses.h>

namespace weft::ir {

std::vector<int> count_uses(const Graph& graph) {
  std::vector<int> uses(graph.nodes().size());
  for (const Node* node : graph.nodes())
    for (const Value v : node->operands) ++uses[v.node->id];
  for (const Value v : graph.outputs()) ++uses[v.node->id];
  return uses;
}

}  // namespace weft::ir
