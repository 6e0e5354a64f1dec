#include <weft/compiler/thunks/native_context.h>

#include <algorithm>
#include <utility>

#include <weft/base/error.h>

namespace weft::compiler {

Unit unit_of(const ir::Node& node) {
  Unit unit;
  for (const ir::Value v : node.operands) unit.reads.push_back(storage_of(v));
  for (std::uint32_t i = 0; i < node.types.size(); ++i) unit.writes.push_back({const_cast<ir::Node*>(&node), i});
  unit.order = node.id;
  return unit;
}

void set_form(Unit& unit, std::vector<Size> sizes, std::function<std::optional<Unit>(const SizeValues& sizes)> at) {
  if (!std::ranges::all_of(sizes, &Size::is_constant)) {
    unit.form = SizedLater{std::move(at), std::move(sizes)};
    return;
  }
  std::optional<Unit> known = at({});
  WEFT_ASSERT(known, "a unit of known sizes has no form");
  unit.scratch_bytes = known->scratch_bytes;
  unit.form = std::move(known->form);
}

void share_operands(Unit& unit) {
  for (int i = 0; i < std::ssize(unit.writes); ++i)
    if (std::ranges::count(unit.reads, unit.reads[i]) == 1) unit.in_place.emplace_back(i, i);
}

}  // namespace weft::compiler
