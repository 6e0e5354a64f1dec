// Finds how to divide the tables of a collection among the devices of a mesh, before anything is allocated.
//
//   embed::TablePlan plan = embed::plan_tables(configs, mesh, {"data"}, {.batch = 65536, .memory_bytes = 32e9});
//   std::cout << plan;  // what lies where, bytes, predicted balance
//   embed::EmbeddingBagCollection tables(configs, {.plan = plan.plan});
//
// As TorchRec's EmbeddingShardingPlanner: estimates of time and memory for each kind of sharding, and a search for the placement of which the
// slowest device is the fastest.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <weft/compiler/options/link.h>
#include <weft/embed/embedding_bags.h>

namespace weft::embed {

struct PlannerOptions {
  std::int64_t batch = 1024;                       // samples of all devices together
  std::map<std::string, double> ids_per_bag = {};  // of features: on average; of others 1
  double states_per_element = 1;  // numbers that the optimizer keeps for each element: 0 for SGD, 2 for Adam
  double memory_bytes = 0;        // for tables and their states on each device; 0: no limit
  // The kinds of sharding that a table may have; of others, all kinds.
  std::map<std::string, std::vector<TableSharding>> allowed = {};
  std::int64_t least_columns = 16;  // of a piece of columns

  // What the devices achieve.
  compiler::Link link = default_link();  // WEFT_LINK, or devices that share memory
  double ids_per_s = 8e7;            // ids that lookups and updates look at, also those of rows that other devices have
  double rows_per_s = 8e7;           // random rows of memory that are read or written
  double cache_bytes = 2e6;          // so much of a piece of a table is in the caches, which all tables share
  double row_bytes_per_s = 2.5e10;   // bytes of rows and gradients that are read or written, in caches or in memory
  double pooled_rows_per_s = 6.5e7;  // pooled rows, or gradients of them, that are brought into another order
  static compiler::Link default_link();
  // Devices of one process share its CPUs: they compute one after the other, at these rates, also if WEFT_LINK slows their exchanges down.
  // Devices with a link of another kind compute at the same time, and the slowest decides.
  bool devices_share_cpus() const;
};

// The predicted load of a device in a step.
struct DeviceLoad {
  double table_bytes = 0;     // with states
  double lookup_seconds = 0;  // lookups and updates
  std::int64_t pieces = 0;
};

struct TablePlan {
  ShardingPlan plan;
  std::vector<EmbeddingBagConfig> tables;
  std::vector<DeviceLoad> devices;
  double busy_seconds = 0;      // of lookups and updates
  double exchange_seconds = 0;  // of ids, pooled rows and their gradients, with bringing them into order
  double seconds() const { return busy_seconds + exchange_seconds; }
};
// Prints a line for each table and for each device.
std::ostream& operator<<(std::ostream& out, const TablePlan& plan);

// Predicts what a plan costs.
TablePlan predict_plan(const std::vector<EmbeddingBagConfig>& tables, const ShardingPlan& plan,
                       const PlannerOptions& options = {});

// Throws Error if a table fits nowhere, or all together do not: it says how much memory is missing, and what would help.
TablePlan plan_tables(const std::vector<EmbeddingBagConfig>& tables, const Mesh& mesh,
                      const std::vector<std::string>& axes, const PlannerOptions& options = {});

}  // namespace weft::embed
