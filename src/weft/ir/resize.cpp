#include <weft/ir/resize.h>

namespace weft::ir {

Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types) {
  Node& copy = graph.append_copy(node, operands);
  copy.types = graph.arena().copy(types);
  return copy;
}

}  // namespace weft::ir
