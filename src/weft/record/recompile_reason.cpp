#include <weft/record/recompile_reason.h>

#include <algorithm>

#include <weft/ir/op.h>

namespace weft::record {

namespace {

std::string describe(const ir::Node& node) {
  std::string text = concat(node.op->name, ' ', node.types.empty() ? Type() : node.type());
  if (node.location.line != 0) text += concat(" (", node.location.file, ':', node.location.line, ')');
  if (*node.location.scope) text += concat(" in ", node.location.scope);
  return text;
}

// Describes the difference at one node of two graphs whose earlier nodes are the same.
std::string difference(const ir::Node& before, const ir::Node& now) {
  if (before.op != now.op || !std::ranges::equal(before.types, now.types))
    return concat(describe(now), " instead of ", describe(before));
  const auto same = [](ir::Value a, ir::Value b) { return a.node->id == b.node->id && a.index == b.index; };
  if (!std::ranges::equal(before.operands, now.operands, same)) return concat("other operands of ", describe(now));
  if (now.op->attributes && !now.op->attributes->equal(before.attribute_data, now.attribute_data))
    return concat("another constant or attribute of ", describe(now));
  for (std::size_t i = 0; i < std::min(before.regions.size(), now.regions.size()); ++i) {
    if (!structurally_equal(*before.regions[i], *now.regions[i])) return concat("another body of ", describe(now));
  }
  return {};
}

}  // namespace

std::string recompile_reason(const ir::Graph& before, const ir::Graph& now) {
  const std::size_t common = std::min(before.nodes().size(), now.nodes().size());
  for (std::size_t i = 0; i < common; ++i) {
    const std::string text = difference(*before.nodes()[i], *now.nodes()[i]);
    if (!text.empty()) return text;
  }
  if (before.nodes().size() > common) return concat(describe(*before.nodes()[common]), " is missing");
  if (now.nodes().size() > common) return concat(describe(*now.nodes()[common]), " is new");
  if (before.outputs().size() != now.outputs().size())
    return concat(now.outputs().size(), " results are held instead of ", before.outputs().size());
  if (!structurally_equal(before, now)) return "other results are held";
  return "other operands are still held after it, or another backend was chosen";
}

}  // namespace weft::record
