// Tables that are divided among the devices of a mesh train as tables on one device do.
#include <random>

#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::EmbeddingBagCollection;
using embed::EmbeddingBagConfig;
using embed::KeyedJaggedTensor;
using embed::Pooling;
using embed::ShardingPlan;
using embed::TablePlacement;
using embed::TableSharding;
using test::arbitrary;

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t samples = 8, ids_of_table = 10;

std::vector<EmbeddingBagConfig> placed_configs() {
  std::vector<EmbeddingBagConfig> tables;
  for (const auto& [name, count, width, features] :
       {std::tuple<std::string, std::int64_t, std::int64_t, std::vector<std::string>>{"x", ids_of_table, 4, {"a", "b"}},
        {"y", ids_of_table + 3, 8, {"c"}},
        {"z", ids_of_table, 4, {"a"}},
        {"w", 3, 8, {"b"}}})
    tables.push_back({.num_embeddings = count,
                      .embedding_dim = width,
                      .name = name,
                      .feature_names = features,
                      .pooling = name == "z" || name == "y" ? Pooling::mean : Pooling::sum,
                      .init_fn = [seed = static_cast<int>(count + width)](const Shape& shape, DType dtype) {
                        return arbitrary(shape, seed).to(dtype);
                      }});
  return tables;
}

// Features with repeated ids and empty bags; with seed 2 there are no ids at all.
KeyedJaggedTensor placed_features(int seed, bool weighted = false) {
  std::mt19937 random(seed);
  Numbers values, lengths;
  std::vector<float> weights;
  for (std::int64_t bag = 0; bag < 3 * samples; ++bag) {
    lengths.push_back(seed == 2 ? 0 : static_cast<std::int64_t>(random() % 4));
    const std::int64_t most = bag / samples == 1 ? 3 : ids_of_table;
    for (std::int64_t i = 0; i < lengths.back(); ++i) {
      values.push_back(static_cast<std::int64_t>(random() % most));
      if (weighted) weights.push_back(static_cast<float>(random() % 5) / 2);
    }
  }
  return {{"a", "b", "c"},
          std::move(values),
          lengths,
          weighted ? embed::IdWeights(std::move(weights)) : embed::IdWeights()};
}

struct PlacedModel {
  EmbeddingBagCollection tables;
  Parameter factor{arbitrary({1, 28}, 9).to(DType::f32)};

  Tensor loss(const KeyedJaggedTensor& features) const {
    const Tensor pooled = tables(features).values();
    return sum(square(pooled * factor) + pooled);
  }
  void fields(auto&& field) {
    field("tables", tables);
    field("factor", factor);
  }
};

struct PlacedRun {
  std::vector<double> losses;
  std::vector<test::Doubles> tables;
};

template <class Optimizer>
PlacedRun train_placed(const std::optional<ShardingPlan>& plan, bool weighted = false) {
  PlacedModel model{EmbeddingBagCollection(placed_configs(), {.is_weighted = weighted, .plan = plan})};
  Optimizer optimizer(model, {.lr = 0.1});
  const auto body = [&](const KeyedJaggedTensor& features) {
    const Tensor loss = model.loss(features);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  };
  PlacedRun trained;
  const auto run = [&](auto&& step, const auto& place) {
    for (int i = 0; i < 4; ++i)
      trained.losses.push_back(step(place(placed_features(i, weighted))).template item<double>());
  };
  if (plan)
    run(compile(plan->mesh, body),
        [&](const KeyedJaggedTensor& features) { return features.sharded("data", plan->mesh); });
  else
    run(compile(body), [](const KeyedJaggedTensor& features) { return features; });
  for (const EmbeddingBagConfig& table : model.tables.configs())
    trained.tables.push_back(model.tables.rows(table.name).template to_vector<double>());
  return trained;
}

void expect_close(const PlacedRun& got, const PlacedRun& want) {
  for (std::size_t i = 0; i < want.losses.size(); ++i)
    EXPECT_NEAR(got.losses[i], want.losses[i], 1e-5 * std::abs(want.losses[i]));
  for (std::size_t t = 0; t < want.tables.size(); ++t) {
    ASSERT_EQ(got.tables[t].size(), want.tables[t].size());
    for (std::size_t i = 0; i < want.tables[t].size(); ++i)
      EXPECT_NEAR(got.tables[t][i], want.tables[t][i], 1e-5) << t << ' ' << i;
  }
}

const Mesh four{{"data", 4}}, hosts{{"host", 2}, {"data", 2}};

const ShardingPlan plans[] = {
    {four, {"data"}, {{}, {}, {}, {}}},
    {four,
     {"data"},
     {{TableSharding::table_wise, {3}}, {TableSharding::table_wise, {0}}, {TableSharding::table_wise, {3}}, {}}},
    {four,
     {"data"},
     {{TableSharding::row_wise}, {TableSharding::row_wise}, {TableSharding::row_wise}, {TableSharding::row_wise}}},
    {four,
     {"data"},
     {{TableSharding::column_wise, {2, 1}},
      {TableSharding::column_wise, {0, 1, 2, 3}},
      {TableSharding::table_wise, {2}},
      {TableSharding::row_wise}}},
    {hosts,
     {"host", "data"},
     {{TableSharding::table_row_wise, {1}},
      {TableSharding::grid, {1, 0}},
      {TableSharding::row_wise},
      {TableSharding::table_wise, {2}}}},
    {hosts,
     {"data"},
     {{TableSharding::row_wise}, {TableSharding::table_wise, {1}}, {}, {TableSharding::column_wise, {0, 1}}}},
};

TEST(Placement, TrainsAsOnOneDevice) {
  const PlacedRun want = train_placed<optim::SGD>({}), adagrad = train_placed<optim::Adagrad>({}),
                  weighted = train_placed<optim::Adam>({}, true);
  for (const ShardingPlan& plan : plans) {
    SCOPED_TRACE(&plan - plans);
    expect_close(train_placed<optim::SGD>(plan), want);
    expect_close(train_placed<optim::Adagrad>(plan), adagrad);
    expect_close(train_placed<optim::Adam>(plan, true), weighted);
  }
}

// A model on a plan, with its optimizer.
template <class Optimizer>
struct PlacedTraining {
  explicit PlacedTraining(const std::optional<ShardingPlan>& on)
      : plan(on), model{EmbeddingBagCollection(placed_configs(), {.plan = on})} {}
  double train(int seed) {
    const auto body = [&](const KeyedJaggedTensor& features) {
      const Tensor loss = model.loss(features);
      optimizer.step(grad(loss, optimizer.parameters()));
      return loss;
    };
    const KeyedJaggedTensor features = placed_features(seed);
    return plan ? compile(plan->mesh, body)(features.sharded("data", plan->mesh)).template item<double>()
                : compile(body)(features).template item<double>();
  }
  std::pair<StateDict, StateDict> state() { return {state_dict(model), state_dict(optimizer)}; }
  void load(const std::pair<StateDict, StateDict>& state) {
    load_state_dict(model, state.first);
    load_state_dict(optimizer, state.second);
  }

  std::optional<ShardingPlan> plan;
  PlacedModel model;
  Optimizer optimizer{model, {.lr = 0.1}};
};

void expect_same(const StateDict& got, const StateDict& want) {
  ASSERT_EQ(got.size(), want.size());
  for (const auto& [name, tensor] : want) {
    ASSERT_TRUE(got.contains(name)) << name;
    EXPECT_EQ(got.at(name).type(), tensor.type());
    EXPECT_EQ(got.at(name).to_vector<float>(), tensor.to_vector<float>()) << name;
  }
}

TEST(Placement, StateIsSavedByTableAndLoadedInAnyPlan) {
  std::vector<std::optional<ShardingPlan>> all{std::nullopt};
  all.insert(all.end(), std::begin(plans), std::end(plans));
  for (const auto& from : all) {
    PlacedTraining<optim::Adagrad> saved(from);
    saved.train(0);
    saved.train(1);
    const auto state = saved.state();
    EXPECT_TRUE(state.first.contains("tables.embedding_bags.y.weight"));
    EXPECT_TRUE(state.second.contains("tables.embedding_bags.y.weight.sum"));
    const double next = saved.train(3);
    for (const auto& to : all) {
      SCOPED_TRACE(concat("from ", from ? &*from - &*all[1] : -1, " to ", &to - all.data()));
      PlacedTraining<optim::Adagrad> loaded(to);
      loaded.load(state);
      expect_same(loaded.state().first, state.first);
      expect_same(loaded.state().second, state.second);
      EXPECT_NEAR(loaded.train(3) / next, 1, 1e-5);
    }
  }
}

std::string error_of_loading(auto& training, const std::pair<StateDict, StateDict>& state) {
  try {
    training.load(state);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Placement, StateThatDoesNotFitIsRefused) {
  PlacedTraining<optim::RowWiseAdagrad> columns(plans[3]), rows(plans[2]), whole(std::nullopt);
  columns.train(0);
  const auto state = columns.state();
  // A row has one number for each piece of its columns.
  EXPECT_TRUE(state.second.contains("tables.embedding_bags.x.weight.sum.columns_2_3"));
  EXPECT_EQ(error_of_loading(rows, state),
            "load_state_dict: missing: tables.embedding_bags.x.weight.sum, tables.embedding_bags.y.weight.sum; "
            "unexpected: tables.embedding_bags.x.weight.sum.columns_0_1, "
            "tables.embedding_bags.x.weight.sum.columns_2_3, tables.embedding_bags.y.weight.sum.columns_0_1, "
            "tables.embedding_bags.y.weight.sum.columns_2_3, tables.embedding_bags.y.weight.sum.columns_4_5, "
            "tables.embedding_bags.y.weight.sum.columns_6_7");
  auto other = rows.state();
  whole.load(other);
  expect_same(whole.state().second, other.second);
  other.first.at("tables.embedding_bags.x.weight") = zeros({9, 4});
  EXPECT_EQ(error_of_loading(columns, other),
            "load_state_dict: of another shape: tables.embedding_bags.x.weight (tensor<9x4xf32> instead of "
            "tensor<10x4xf32>)");
}

// Tables of three widths: one update serves all of their matrices.
TEST(Placement, ExchangesIdsAndPooledRowsAlone) {
  for (const TableSharding sharding :
       {TableSharding::table_wise, TableSharding::row_wise, TableSharding::column_wise}) {
    std::vector<EmbeddingBagConfig> tables = placed_configs();
    ShardingPlan plan{four, {"data"}, {}};
    for (std::int64_t t = 0; t < std::ssize(tables); ++t) {
      tables[t].num_embeddings = 4000;
      tables[t].embedding_dim = t == 0 ? 4 : 4 * t;
      plan.tables.push_back({sharding, sharding == TableSharding::row_wise     ? Numbers{}
                                       : sharding == TableSharding::table_wise ? Numbers{t % 4}
                                                                               : Numbers{0, 1}});
    }
    EmbeddingBagCollection collection(tables, {.plan = plan});
    optim::Adam optimizer(collection);
    const auto step = compile(four, [&](const KeyedJaggedTensor& features) {
      const Tensor loss = sum(square(collection(features).values()));
      optimizer.step(grad(loss, optimizer.parameters()));
      return loss;
    });
    step(placed_features(0).sharded("data", four));
    const Explanation told = step.explain({.remedies = false});
    const Explanation::Program& program = told.programs.at(0);
    EXPECT_GT(program.sent_bytes, 0);
    EXPECT_LE(program.sent_bytes, 4096) << "a part of the smallest table has 16 KB, " << sharding;
  }
}

std::string placing_error(const ShardingPlan& plan, bool sparse = true) {
  std::vector<EmbeddingBagConfig> tables = placed_configs();
  tables[1].sparse_update = sparse;
  try {
    const EmbeddingBagCollection collection(std::move(tables), {.plan = plan});
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find(" (/"));
  }
  return "no error";
}

TEST(Placement, SaysWhichTableDoesNotFitWhere) {
  const auto error = [](TablePlacement of_y, bool sparse = true) {
    return placing_error({four, {"data"}, {{}, std::move(of_y), {}, {}}}, sparse);
  };
  const std::string table = "EmbeddingBagCollection: table \"y\", ";
  EXPECT_EQ(error({TableSharding::table_wise, {4}}), table + "table_wise: there is no device 4; they are 0 to 3");
  EXPECT_EQ(error({TableSharding::table_wise, {}}), table + "table_wise: it lies at 0 places; name one");
  EXPECT_EQ(error({TableSharding::row_wise, {1}}),
            table + "row_wise: it lies at 1 places; name none, because all devices have rows");
  EXPECT_EQ(error({TableSharding::column_wise, {0, 1, 2}}),
            table + "column_wise: 8 columns do not divide into 3 pieces");
  EXPECT_EQ(error({TableSharding::grid, {0}}),
            table + "grid: the plan has a single axis; name the axis of the hosts and that of their devices");
  EXPECT_EQ(error({TableSharding::row_wise}, false),
            "EmbeddingBagCollection: table \"y\" is divided, so its rows are updated where they lie: leave "
            "sparse_update true, or make it "
            "data_parallel");
  EXPECT_EQ(placing_error({four, {"data"}, {{}}}), "EmbeddingBagCollection: the plan has 1 tables, the collection 4");
  EXPECT_EQ(placing_error({four, {}, {{}, {}, {}, {}}}), "EmbeddingBagCollection: the plan names no axis of its mesh");
}

TEST(Placement, BatchesWithTheSameRoomForIdsShareAProgram) {
  EmbeddingBagCollection collection(placed_configs(), {.plan = plans[2]});
  const auto step =
      compile(four, [&](const KeyedJaggedTensor& features) { return sum(collection(features).values()); });
  const embed::ShardedFeatures room{.most_ids = 3 * 3 * samples / 4};
  for (int seed = 0; seed < 6; ++seed) {
    const KeyedJaggedTensor features = placed_features(seed);
    EXPECT_EQ(step(features.sharded("data", four, room)).item(), step(features.sharded("data", four)).item());
  }
  const auto roomy =
      compile(four, [&](const KeyedJaggedTensor& features) { return sum(collection(features).values()) * 2.0; });
  for (int seed = 0; seed < 6; ++seed) roomy(placed_features(seed).sharded("data", four, room)).item();
  EXPECT_THAT(roomy.explain().text(), testing::ContainsRegex("6 calls, recorded 1 time, compiled 1 time"));
  test::expect_error([&] { placed_features(0).sharded("data", four, {.most_ids = 2}); },
                     "KeyedJaggedTensor.sharded: a device has 13 ids, and there is room for 2 (most_ids)");
}

TEST(Placement, BadIdsAreNamed) {
  EmbeddingBagCollection collection(placed_configs(), {.plan = plans[2]});
  const auto step =
      compile(four, [&](const KeyedJaggedTensor& features) { return sum(collection(features).values()); });
  Numbers ids(3 * samples, 1), lengths(3 * samples, 1);
  ids[2 * samples + 5] = ids_of_table + 3;
  const Tensor result = step(KeyedJaggedTensor({"a", "b", "c"}, ids, lengths).sharded("data", four));
  try {
    result.item();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    const std::string expected = "embedding: id 13 of \"c\", sample 5, is no row of its table, which has 13 rows";
    EXPECT_EQ(std::string(error.what()).substr(0, expected.size()), expected);
  }
}

}  // namespace
}  // namespace weft
