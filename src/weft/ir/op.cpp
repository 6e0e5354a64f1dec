#include <weft/ir/op.h>

#include <algorithm>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

constexpr auto sorted = [] {
  auto ops = ops::table;
  std::ranges::sort(ops, {}, [](const Op* op) { return op->name; });
  return ops;
}();

}  // namespace

bool has_side_effect(const Node& node) {
  if (node.op->has_side_effect) return true;
  if (node.op == &ops::custom_call && node.attributes<CustomCallAttributes>().has_side_effect) return true;
  return std::ranges::any_of(node.regions, [](const Graph* region) {
    return std::ranges::any_of(region->nodes(), [](const Node* inner) { return has_side_effect(*inner); });
  });
}

std::span<const Op* const> all_ops() { return sorted; }

const Op* find_op(std::string_view name) {
  const auto at = std::ranges::lower_bound(sorted, name, {}, [](const Op* op) { return op->name; });
  return at != sorted.end() && (*at)->name == name ? *at : nullptr;
}

const Op* find_call(std::string_view target) {
  const auto at = std::ranges::find(sorted, target, [](const Op* op) { return op->call_target; });
  return target.empty() || at == sorted.end() ? nullptr : *at;
}

}  // namespace weft::ir
