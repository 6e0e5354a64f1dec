// How the tables of a collection are divided among the devices of a mesh, with TorchRec's kinds of sharding.
//
//   const weft::Mesh mesh{{"data", 8}};
//   embed::ShardingPlan plan{mesh, {"data"}, {{.sharding = TableSharding::row_wise}, {.sharding = TableSharding::table_wise, .at = {3}}}};
//   embed::EmbeddingBagCollection tables(configs, {.plan = plan});
//
// A planner finds plans (planner.h).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <weft/tensor/sharding.h>

namespace weft::embed {

// Devices are counted along the axes of the plan. With two or more axes, a host is the devices that differ along the last axis only.
enum class TableSharding : std::uint8_t {
  data_parallel,   // every device has the table; each updates all of it, with the ids and gradients of all devices
  table_wise,      // one device has the table; pooled rows are exchanged
  column_wise,     // several devices have some of the columns each
  row_wise,        // every device has some of the rows; its sums of them are added
  table_row_wise,  // the devices of one host have some of the rows each
  grid,            // several hosts have some of the columns each, and their devices some of the rows
};
std::ostream& operator<<(std::ostream& out, TableSharding sharding);

struct TablePlacement {
  TableSharding sharding = TableSharding::data_parallel;
  // The device of a table, or of each of its equal pieces of columns; for table_row_wise and grid the host. Empty for data_parallel and row_wise.
  std::vector<std::int64_t> at = {};
};

struct ShardingPlan {
  Mesh mesh;
  std::vector<std::string> axes;       // along which tables are divided; along others, they are replicated
  std::vector<TablePlacement> tables;  // of each table of the collection

  std::int64_t devices() const;            // along the axes
  std::int64_t devices_of_a_host() const;  // the size of the last axis; all devices if there is one axis
};

}  // namespace weft::embed
