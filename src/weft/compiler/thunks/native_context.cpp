#include <weft/compiler/thunks/native_context.h>

#include <algorithm>

namespace weft::compiler {

Unit unit_of(const ir::Node& node) {
  Unit unit;
  for (const ir::Value v : node.operands) unit.reads.push_back(storage_of(v));
  for (std::uint32_t i = 0; i < node.types.size(); ++i) unit.writes.push_back({const_cast<ir::Node*>(&node), i});
  unit.order = node.id;
  return unit;
}

void share_operands(Unit& unit) {
  for (int i = 0; i < static_cast<int>(unit.writes.size()); ++i)
    if (std::ranges::count(unit.reads, unit.reads[static_cast<std::size_t>(i)]) == 1) unit.in_place.emplace_back(i, i);
}

}  // namespace weft::compiler
