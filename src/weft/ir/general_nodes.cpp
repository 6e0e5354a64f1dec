#include <weft/ir/general_nodes.h>

#include <algorithm>

#include <weft/ir/op.h>
#include <weft/ir/ops/source.h>

namespace weft::ir {

std::string describe(const Node& node) {
  std::string text = concat(node.op->name, ' ', node.types.empty() ? Type() : node.type());
  if (node.location.line != 0) text += concat(" at ", node.location.file, ':', node.location.line);
  if (*node.location.scope) text += concat(" in ", node.location.scope);
  return text;
}

bool same_value(Value a, Value b) { return a.index == b.index && a.node->id == b.node->id; }

bool is_splat(const Node& node) {
  return node.op == &ops::constant && node.attributes<ConstantAttributes>().value.is_splat();
}

bool have_same_attributes(const Node& a, const Node& b) {
  if (!a.op->attributes || a.op->attributes->equal(a.attribute_data, b.attribute_data)) return true;
  return is_splat(a) && is_splat(b) &&
         std::ranges::equal(a.attributes<ConstantAttributes>().value.bytes,
                            b.attributes<ConstantAttributes>().value.bytes);
}

bool have_attributes_alike(const Node& a, const Node& b) {
  return have_same_attributes(a, b) ||
         (a.op->has_sizes() && a.op->attributes->equal_without_sizes(a.attribute_data, b.attribute_data));
}

}  // namespace weft::ir
