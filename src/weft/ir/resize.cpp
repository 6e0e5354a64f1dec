#include <weft/ir/resize.h>

#include <algorithm>

#include <weft/base/size.h>
#include <weft/ir/attributes.h>
#include <weft/ir/op.h>

namespace weft::ir {

bool is_static(const Node& node) {
  const auto is_known = [](std::int64_t number) { return Size(number).is_constant(); };
  return std::ranges::all_of(node.types, &Type::is_static) &&
         std::ranges::all_of(node.operands, [](Value v) { return v.type().is_static(); }) &&
         (!node.op->attributes_are_sizes ||
          std::ranges::all_of(node.op->attributes->numbers(node.attribute_data), is_known));
}

Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types) {
  Node& copy = graph.append_copy(node, operands);
  copy.types = graph.arena().copy(types);
  return copy;
}

void set_attribute_sizes(Node& node, std::span<const std::int64_t> numbers) {
  node.attribute_data = node.op->attributes->with_numbers(node.graph->arena(), node.attribute_data, numbers);
}

}  // namespace weft::ir
