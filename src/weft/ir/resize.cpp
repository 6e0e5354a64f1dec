#include <weft/ir/resize.h>

#include <weft/ir/attributes.h>
#include <weft/ir/op.h>

namespace weft::ir {

Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types) {
  Node& copy = graph.append_copy(node, operands);
  copy.types = graph.arena().copy(types);
  return copy;
}

void set_attribute_sizes(Node& node, std::span<const std::int64_t> numbers) {
  node.attribute_data = node.op->attributes->with_numbers(node.graph->arena(), node.attribute_data, numbers);
}

}  // namespace weft::ir
