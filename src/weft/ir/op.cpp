#include <weft/ir/op.h>

#include <algorithm>

#include <weft/base/size.h>

namespace weft::ir {

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
  if (const auto* call = node.attributes_if<CustomCallAttributes>(); call && call->has_side_effect) return true;
  return std::ranges::any_of(node.regions, [](const Graph* region) {
    return std::ranges::any_of(region->nodes(), [](const Node* inner) { return has_side_effect(*inner); });
  });
}

}  // namespace weft::ir
