#include <weft/embed/placement.h>

#include <ostream>

namespace weft::embed {

std::ostream& operator<<(std::ostream& out, TableSharding sharding) {
  constexpr const char* names[] = {"data_parallel", "table_wise", "column_wise", "row_wise", "table_row_wise", "grid"};
  return out << names[static_cast<int>(sharding)];
}

std::int64_t ShardingPlan::devices() const {
  std::int64_t count = 1;
  for (const std::string& axis : axes) count *= mesh.size(mesh.axis(axis));
  return count;
}

std::int64_t ShardingPlan::devices_of_a_host() const { return axes.empty() ? 1 : mesh.size(mesh.axis(axes.back())); }

}  // namespace weft::embed
