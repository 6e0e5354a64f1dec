// Plans of embedding tables: they keep to the memory, to what is allowed, and are at least as good as simple ones.
#include <sstream>

#include <gtest/gtest.h>

#include <weft/weft.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::PlannerOptions;
using embed::ShardingPlan;
using embed::TablePlacement;
using embed::TableSharding;

std::vector<embed::EmbeddingBagConfig> tables_of_sizes(std::initializer_list<std::int64_t> rows,
                                                       std::int64_t width = 64) {
  std::vector<embed::EmbeddingBagConfig> tables;
  for (const std::int64_t count : rows) {
    const std::string name = concat("t", tables.size());
    tables.push_back({.num_embeddings = count, .embedding_dim = width, .name = name, .feature_names = {name}});
  }
  return tables;
}

const Mesh of_four{{"data", 4}};

TEST(Planner, IsAtLeastAsGoodAsOneKindForAll) {
  const auto tables = tables_of_sizes({1000, 50'000, 200'000, 10, 3'000'000, 80'000, 120'000, 500});
  for (const char* link : {"", "latency_us=5,gb_s=50", "latency_us=100,gb_s=0.5"}) {
    const PlannerOptions options{.batch = 8192, .link = compiler::Link::parse(link)};
    const embed::TablePlan plan = plan_tables(tables, of_four, {"data"}, options);
    ShardingPlan uniform{of_four, {"data"}, {}};
    const auto all = [&](auto&& placement) {
      uniform.tables.clear();
      for (std::int64_t t = 0; t < std::ssize(tables); ++t) uniform.tables.push_back(placement(t));
      return predict_plan(tables, uniform, options).seconds();
    };
    EXPECT_LE(plan.seconds(), all([](auto) { return TablePlacement{}; }));
    EXPECT_LE(plan.seconds(), all([](auto) { return TablePlacement{TableSharding::row_wise}; }));
    EXPECT_LE(plan.seconds(), all([](std::int64_t t) { return TablePlacement{TableSharding::table_wise, {t % 4}}; }));
    EXPECT_DOUBLE_EQ(plan.seconds(), predict_plan(tables, plan.plan, options).seconds());
  }
}

TEST(Planner, DevicesThatShareCpusTakeTurns) {
  const auto tables = tables_of_sizes({200'000, 200'000, 200'000, 200'000});
  ShardingPlan even{of_four, {"data"}, {}}, uneven = even;
  for (std::int64_t t = 0; t < 4; ++t) {
    even.tables.push_back({TableSharding::table_wise, {t}});
    uneven.tables.push_back({TableSharding::table_wise, {0}});
  }
  const auto busy = [&](const ShardingPlan& plan, const compiler::Link& link) {
    return predict_plan(tables, plan, {.batch = 8192, .link = link}).busy_seconds;
  };
  const compiler::Link throttled = compiler::Link::parse("gb_s=50"), of_machines{.gb_s = 50, .leaves_cpus = true};
  EXPECT_DOUBLE_EQ(busy(uneven, {}), busy(even, {}));
  EXPECT_DOUBLE_EQ(busy(uneven, throttled), busy(even, throttled));
  EXPECT_DOUBLE_EQ(busy(uneven, of_machines), 4 * busy(even, of_machines));
}

TEST(Planner, SmallTablesAreInTheCaches) {
  const auto seconds = [](std::int64_t rows) {
    const ShardingPlan plan{of_four, {"data"}, {{TableSharding::row_wise}}};
    return predict_plan(tables_of_sizes({rows}), plan, {.batch = 8192}).seconds();
  };
  EXPECT_LT(seconds(10'000), seconds(1'000'000));
}

TEST(Planner, KeepsToTheMemory) {
  const auto tables = tables_of_sizes({400'000, 400'000, 400'000, 1'000'000});
  const PlannerOptions options{.batch = 4096, .memory_bytes = 300e6};
  const embed::TablePlan plan = plan_tables(tables, of_four, {"data"}, options);
  for (const embed::DeviceLoad& device : plan.devices) EXPECT_LE(device.table_bytes, options.memory_bytes);
  EXPECT_NE(plan.plan.tables[3].sharding, TableSharding::table_wise) << "its 512 MB do not fit on a device";
}

std::string planning_error(const std::vector<embed::EmbeddingBagConfig>& tables, const PlannerOptions& options) {
  try {
    plan_tables(tables, of_four, {"data"}, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Planner, SaysWhatWouldFit) {
  const auto tables = tables_of_sizes({1'000'000, 1000});
  EXPECT_EQ(planning_error(tables, {.memory_bytes = 100e6}),
            "plan_tables: the tables and their states take 489 MiB, the 4 devices have 381 MiB; the largest table, "
            "\"t0\", takes 488 MiB. "
            "It would fit on 6 devices, or with 122 MiB on each if tables may be divided by rows (allowed), or with "
            "fewer rows, narrower rows, "
            "16-bit tables, or an optimizer with less state (RowWiseAdagrad)");
  EXPECT_EQ(planning_error(tables, {.allowed = {{"x", {TableSharding::row_wise}}}}),
            "plan_tables: allowed names the table \"x\", which does not exist, or no kind of sharding");
}

TEST(Planner, NamesATableThatMayLieNowhere) {
  const auto tables = tables_of_sizes({100}, 8);
  EXPECT_EQ(planning_error(tables, {.allowed = {{"t0", {TableSharding::column_wise, TableSharding::grid}}}}),
            "plan_tables: table \"t0\" of 8 columns can have none of the kinds of sharding that it is allowed: allow "
            "it row_wise, or pieces of "
            "fewer columns (least_columns is 16), or name an axis of hosts for table_row_wise and grid");
}

TEST(Planner, ObeysWhatIsAllowed) {
  const auto tables = tables_of_sizes({100, 200'000, 100'000});
  const PlannerOptions options{.allowed = {{"t0", {TableSharding::column_wise}}, {"t1", {TableSharding::table_wise}}}};
  const embed::TablePlan plan = plan_tables(tables, of_four, {"data"}, options);
  EXPECT_EQ(plan.plan.tables[0].sharding, TableSharding::column_wise);
  EXPECT_EQ(plan.plan.tables[1].sharding, TableSharding::table_wise);
  std::ostringstream text;
  text << plan;
  EXPECT_NE(text.str().find("column_wise     100"), text.str().npos) << text.str();
}

TEST(Planner, PlansOverHosts) {
  const Mesh hosts{{"host", 2}, {"data", 2}};
  const auto tables = tables_of_sizes({1'000'000, 1'000'000});
  const PlannerOptions options{.allowed = {{"t0", {TableSharding::table_row_wise}}, {"t1", {TableSharding::grid}}}};
  const embed::TablePlan plan = plan_tables(tables, hosts, {"host", "data"}, options);
  EXPECT_EQ(plan.plan.tables[0].sharding, TableSharding::table_row_wise);
  EXPECT_EQ(plan.plan.tables[1].sharding, TableSharding::grid);
}

}  // namespace
}  // namespace weft
