// Ids of any value as rows of tables of fixed size.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::Eviction;
using embed::IdMap;
using embed::IdMapOptions;
using embed::KeyedJaggedTensor;
using embed::ManagedIds;
using embed::NoRow;
using test::expect_error;
using test::expect_values;

using Numbers = std::vector<std::int64_t>;

Numbers mapped(IdMap& map, const Numbers& ids, Numbers* evicted = nullptr) {
  Numbers changed;
  const Numbers rows = map.map(ids, changed);
  if (evicted) *evicted = changed;
  return rows;
}

TEST(IdMap, GivesEachIdARowOfItsOwn) {
  IdMap map("t", {.rows = 100});
  const Numbers ids{-5, 1'000'000'000'000, 7, -5, 0, std::numeric_limits<std::int64_t>::min()};
  Numbers evicted;
  const Numbers rows = mapped(map, ids, &evicted);
  EXPECT_EQ(rows[0], rows[3]);
  EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()).size(), 5u);
  for (const std::int64_t row : rows) EXPECT_TRUE(row >= 0 && row < 100) << row;
  EXPECT_EQ(evicted, Numbers{});
  EXPECT_EQ(map.ids(), 5);
  EXPECT_EQ(mapped(map, ids), rows);
  EXPECT_EQ(map.find(Numbers{7, 8}), (Numbers{rows[2], -1}));
  EXPECT_EQ(map.ids(), 5);
}

// Fills all rows of a small table, then brings one more id.
std::int64_t id_that_loses(const IdMapOptions& options) {
  IdMap map("t", options);
  const Numbers rows = mapped(map, {10, 11, 12});  // lru: 12 is used last; lfu: 10 least often
  mapped(map, {11, 11, 11});
  mapped(map, {12, 12});
  for (int i = 0; i < 20; ++i) mapped(map, {});
  mapped(map, {10});
  Numbers evicted;
  const Numbers now = mapped(map, {13}, &evicted);
  EXPECT_EQ(evicted, now);
  EXPECT_EQ(map.evictions(), 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] == now[0]) return 10 + static_cast<std::int64_t>(i);
  return -1;
}

TEST(IdMap, TakesTheRowOfTheIdThatIsUsedLeast) {
  EXPECT_EQ(id_that_loses({.rows = 3, .eviction = Eviction::lru}), 11);
  EXPECT_EQ(id_that_loses({.rows = 3, .eviction = Eviction::lfu}), 10);
  // 10: 2 / 1, 11: 4 / 23, 12: 3 / 22
  EXPECT_EQ(id_that_loses({.rows = 3, .eviction = Eviction::distance_lfu}), 12);
  EXPECT_EQ(id_that_loses({.rows = 3, .eviction = Eviction::distance_lfu, .decay = 0}), 10);
}

TEST(IdMap, KeepsTheIdsOfTheBatchAndOfSomeBefore) {
  IdMap strict("t", {.rows = 2});
  expect_error(
      [&] { mapped(strict, {1, 2, 3}); },
      "IdMap: id 3 of table \"t\" finds no row: the 2 that it may have belong to ids of the last 1 batches: give "
      "the table more rows than its 2, or let such ids be skipped or share a row (no_row)");
  IdMap skipping("t", {.rows = 2, .keeps = 2, .no_row = NoRow::skip});
  const Numbers rows = mapped(skipping, {1, 2, 3});
  EXPECT_EQ(rows[2], -1);
  EXPECT_EQ(mapped(skipping, {3}), Numbers{-1});
  EXPECT_NE(mapped(skipping, {3}), Numbers{-1});
  IdMap sharing("t", {.rows = 2, .no_row = NoRow::share});
  const std::int64_t shared = mapped(sharing, {1, 2, 3})[2];
  EXPECT_TRUE(shared == 0 || shared == 1);
}

TEST(IdMap, GoesOnFromItsState) {
  IdMap map("t", {.rows = 8, .eviction = Eviction::distance_lfu});
  for (int batch = 0; batch < 20; ++batch) mapped(map, {batch % 3, 100 + batch, 200 + batch % 7});
  IdMap other("t", {.rows = 8, .eviction = Eviction::distance_lfu});
  other.load(map.state());
  EXPECT_EQ(other.ids(), map.ids());
  EXPECT_EQ(other.evictions(), map.evictions());
  for (int batch = 20; batch < 40; ++batch) {
    const Numbers ids{batch % 3, 100 + batch, 200 + batch % 7};
    Numbers evicted, evicted_there;
    EXPECT_EQ(mapped(other, ids, &evicted_there), mapped(map, ids, &evicted));
    EXPECT_EQ(evicted_there, evicted);
  }
  IdMap smaller("t", {.rows = 4});
  expect_error([&] { smaller.load(map.state()); },
               "IdMap: t.ids is tensor<8xi64>, expected tensor<4xi64>: the table has another number of rows");
  IdMap unknown("u", {.rows = 8});
  expect_error([&] { unknown.load(map.state()); }, "IdMap: the state has no u.ids");
}

TEST(ManagedIds, MapFeaturesOfATableTogether) {
  ManagedIds ids({{"t", {"a", "b"}, {.rows = 10}}, {"u", {"c"}, {.rows = 10}}});
  const KeyedJaggedTensor features({"c", "a", "other", "b"}, {1 << 20, 5'000'000, 77, 5'000'000, -4},
                                   Numbers{1, 1, 1, 2});
  const embed::MappedFeatures now = ids(features);
  const auto rows = now.features.values().to_vector<std::int64_t>();
  EXPECT_EQ(rows[1], rows[3]);
  EXPECT_EQ(rows[2], 77);
  EXPECT_EQ(ids.map("t").ids(), 2);
  EXPECT_EQ(ids.map("u").ids(), 1);
  EXPECT_TRUE(now.evicted.empty());
  EXPECT_EQ(ids.find(features).values().to_vector<std::int64_t>(), rows);
  expect_error([&] { ids(KeyedJaggedTensor({"a", "b"}, {}, Numbers{0, 0})); },
               "ManagedIds: table \"u\" has the feature \"c\", which is not among a,b");
  expect_error([] { ManagedIds({{"t", {"a"}, {.rows = 1}}, {"u", {"a"}, {.rows = 1}}}); },
               "ManagedIds: the feature \"a\" is mapped for two tables");
}

// Rows that are evicted have their initial values again, and no state; all others stay as they are.
template <class Collection, class Config>
void expect_renewal(const std::optional<embed::ShardingPlan>& plan) {
  const auto table = [](std::string name, std::vector<std::string> features, double value) {
    return Config{.num_embeddings = 6,
                  .embedding_dim = 4,
                  .name = std::move(name),
                  .feature_names = std::move(features),
                  .init_fn = [value](const Shape& shape, DType type) { return full(shape, value, type); }};
  };
  Collection tables({table("x", {"a", "b"}, 3), table("y", {"b", "c"}, 5)}, {.plan = plan});
  optim::Adagrad optimizer(tables, {.lr = 0.5});
  const KeyedJaggedTensor all({"a", "b", "c"}, {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, Numbers{3, 3, 0, 0, 3, 3});
  const auto loss_of = [&](const KeyedJaggedTensor& features) {
    if constexpr (std::is_same_v<Config, embed::EmbeddingBagConfig>)
      return sum(tables(features).values());
    else
      return sum(tables(features).at("a").padded(3)) + sum(tables(features).at("c").padded(3));
  };
  const auto body = [&](const KeyedJaggedTensor& features) {
    const Tensor loss = loss_of(features);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  };
  if (plan)
    compile(plan->mesh, body)(all.sharded("data", plan->mesh));
  else
    compile(body)(all);
  const std::vector<embed::EvictedRows> evicted{{"y", {4, 0, 1}}, {"x", {2}}};
  embed::renew_rows(tables, optimizer, evicted);
  const auto expect = [](const Tensor& rows, double initial, const std::set<std::int64_t>& renewed) {
    const auto values = rows.to_vector<double>();
    for (std::int64_t row = 0; row < 6; ++row)
      for (std::int64_t c = 0; c < 4; ++c)
        EXPECT_NEAR(values[row * 4 + c], renewed.contains(row) ? initial : initial - 0.5, 1e-6) << row;
  };
  expect(tables.rows("x"), 3, {2});
  expect(tables.rows("y"), 5, {0, 1, 4});
  embed::renew_rows(tables, optimizer, std::vector<embed::EvictedRows>{{"x", {3}}});  // y stays as it is
  expect(tables.rows("x"), 3, {2, 3});
  expect(tables.rows("y"), 5, {0, 1, 4});
  std::int64_t without_state = 0;
  for (const NamedParameter& state : optimizer.state())
    for (const double x : state.parameter->tensor().template to_vector<double>()) without_state += x == 0 ? 1 : 0;
  EXPECT_GE(without_state, 5 * 4);
  expect_error(
      [&] { embed::renew_rows(tables, optimizer, std::vector<embed::EvictedRows>{{"z", {0}}}); },
      concat(std::is_same_v<Config, embed::EmbeddingBagConfig> ? "EmbeddingBagCollection" : "EmbeddingCollection",
             ": there is no table \"z\""));
}

TEST(ManagedIds, RowsThatAreEvictedBeginAnew) {
  const Mesh mesh{{"data", 2}};
  const embed::ShardingPlan divided{
      mesh, {"data"}, {{embed::TableSharding::row_wise}, {embed::TableSharding::table_wise, {1}}}};
  expect_renewal<embed::EmbeddingBagCollection, embed::EmbeddingBagConfig>({});
  expect_renewal<embed::EmbeddingBagCollection, embed::EmbeddingBagConfig>(divided);
  expect_renewal<embed::EmbeddingCollection, embed::EmbeddingConfig>({});
}

// A stream of ids that never ends trains a table of few rows, and goes on from a checkpoint with the same bits.
TEST(ManagedIds, TrainOnIdsWithoutEnd) {
  struct Run {
    ManagedIds ids{{{"t", {"a"}, {.rows = 6}}}};
    embed::EmbeddingBagCollection tables{
        {{.num_embeddings = 6,
          .embedding_dim = 2,
          .name = "t",
          .feature_names = {"a"},
          .init_fn = [](const Shape& shape, DType type) { return ones(shape, type); }}}};
    optim::Adagrad optimizer{tables, {.lr = 0.1}};
    void step(int i) {
      const KeyedJaggedTensor raw({"a"}, {1 << 30, 1000 + i, 2000 + i}, Numbers{2, 1});
      const embed::MappedFeatures mapped_now = ids(raw);
      embed::renew_rows(tables, optimizer, mapped_now.evicted);
      const Tensor loss = sum(square(tables(mapped_now.features).values()));
      optimizer.step(grad(loss, optimizer.parameters()));
      sync();
    }
  };
  Run run;
  for (int i = 0; i < 10; ++i) run.step(i);
  EXPECT_GT(run.ids.map("t").evictions(), 10);
  Run other;
  other.ids.load(run.ids.state());
  load_state_dict(other.tables, state_dict(run.tables));
  load_state_dict(other.optimizer, state_dict(run.optimizer));
  for (int i = 10; i < 20; ++i) {
    run.step(i);
    other.step(i);
  }
  EXPECT_EQ(other.tables.rows("t").to_vector<double>(), run.tables.rows("t").to_vector<double>());
}

}  // namespace
}  // namespace weft
