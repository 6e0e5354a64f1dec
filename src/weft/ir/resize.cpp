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
         (!node.op->has_sizes() || std::ranges::all_of(node.op->attributes->sizes(node.attribute_data), is_known)) &&
         std::ranges::all_of(node.regions, [](const Graph* region) {
           return std::ranges::all_of(region->nodes(), [](const Node* inner) { return is_static(*inner); });
         });
}

Node& append_resized(Graph& graph, const Node& node, std::span<const Value> operands, std::span<const Type> types) {
  Node& copy = graph.append_copy(node, operands);
  copy.types = graph.arena().copy(types);
  return copy;
}

const void* attributes_at(const Node& node, const SizeValues& sizes, Arena& arena) {
  std::vector<std::int64_t> numbers = node.op->attributes->sizes(node.attribute_data);
  for (std::int64_t& number : numbers) number = sizes(Size(number));
  return node.op->attributes->with_sizes(arena, node.attribute_data, numbers);
}

void set_attribute_sizes(Node& node, std::span<const std::int64_t> numbers) {
  node.attribute_data = node.op->attributes->with_sizes(node.graph->arena(), node.attribute_data, numbers);
}

}  // namespace weft::ir
