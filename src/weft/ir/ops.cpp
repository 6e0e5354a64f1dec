#include <weft/ir/ops.h>

#include <weft/ir/attribute_schema.h>

namespace weft::ir {

namespace {

constexpr auto sorted = [] {
  auto ops = ops::table;
  std::ranges::sort(ops, {}, [](const Op* op) { return op->name; });
  return ops;
}();

}  // namespace

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
