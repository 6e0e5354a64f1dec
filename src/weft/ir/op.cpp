#include <weft/ir/op.h>

#include <algorithm>

#include <weft/base/size.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

constexpr auto sorted = [] {
  auto ops = ops::table;
  std::ranges::sort(ops, {}, [](const Op* op) { return op->name; });
  return ops;
}();

}  // namespace

namespace {

bool is_for_many_sizes(const Call& call) {
  return !std::ranges::all_of(call.operands, [](Value v) { return v.type().is_static(); }) ||
         !std::ranges::all_of(call.op.attributes->sizes(call.attribute_data),
                              [](std::int64_t size) { return Size(size).is_constant(); });
}

}  // namespace

void infer_types(const Call& call, std::vector<Type>& results) {
  if (call.op.has_sizes() && !call.requested.empty() && is_for_many_sizes(call))
    results.assign(call.requested.begin(), call.requested.end());
  else
    call.op.types(call, results);
}

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
