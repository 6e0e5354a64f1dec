// Prints a plan: where tables lie, and what each device has to do.
#include <iomanip>
#include <ostream>

#include <weft/base/process.h>
#include <weft/embed/planner.h>

namespace weft::embed {

namespace {

std::string places(const TablePlacement& placement) {
  if (placement.at.empty()) return "all devices";
  const bool has_hosts =
      placement.sharding == TableSharding::table_row_wise || placement.sharding == TableSharding::grid;
  std::string text = concat(has_hosts ? "host" : "device", placement.at.size() == 1 ? " " : "s ");
  for (std::size_t i = 0; i < placement.at.size(); ++i) text += concat(i == 0 ? "" : ", ", placement.at[i]);
  return text;
}

std::string milliseconds(double seconds) {
  std::ostringstream text;
  text << std::setprecision(3) << seconds * 1e3 << " ms";
  return text.str();
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const TablePlan& plan) {
  std::size_t longest = 5;
  for (const EmbeddingBagConfig& table : plan.tables) longest = std::max(longest, table.name.size());
  const int name = static_cast<int>(longest);
  const auto cell = [&](int width, const std::string& text) { out << "  " << std::left << std::setw(width) << text; };
  out << plan.tables.size() << " tables on " << plan.devices.size() << " devices (" << plan.plan.mesh
      << "): " << milliseconds(plan.seconds()) << " a step for lookups, updates and exchanges, as predicted\n";
  cell(name, "table");
  cell(14, "sharding");
  cell(12, "rows");
  cell(7, "width");
  out << "  where\n";
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const EmbeddingBagConfig& table = plan.tables[t];
    cell(name, table.name);
    cell(14, concat(plan.plan.tables[t].sharding));
    cell(12, concat(table.num_embeddings));
    cell(7, concat(table.embedding_dim));
    out << "  " << places(plan.plan.tables[t]) << '\n';
  }
  for (std::size_t d = 0; d < plan.devices.size(); ++d) {
    const DeviceLoad& device = plan.devices[d];
    out << "  device " << d << ": " << device.pieces << (device.pieces == 1 ? " piece, " : " pieces, ")
        << format_bytes(static_cast<std::uint64_t>(device.table_bytes)) << " with states, "
        << milliseconds(device.lookup_seconds) << " for lookups and updates\n";
  }
  return out << "  exchanges of ids, pooled rows and gradients: " << milliseconds(plan.exchange_seconds) << '\n';
}

}  // namespace weft::embed
