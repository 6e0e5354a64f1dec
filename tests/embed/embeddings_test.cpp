// Rows of ids that are not pooled, against take, on one device and on meshes.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::EmbeddingCollection;
using embed::EmbeddingConfig;
using embed::JaggedTensor;
using embed::KeyedJaggedTensor;
using embed::KeyedRows;
using embed::ShardingPlan;
using embed::TableSharding;
using test::arbitrary;
using test::expect_error;
using test::expect_values;

using Numbers = std::vector<std::int64_t>;

EmbeddingConfig sequence_table(std::string name, std::vector<std::string> features, std::int64_t rows = 5,
                               std::int64_t width = 3) {
  return {.num_embeddings = rows,
          .embedding_dim = width,
          .name = std::move(name),
          .feature_names = std::move(features),
          .data_type = DType::f64,
          .init_fn = [](const Shape& shape, DType) { return arbitrary(shape, 3); }};
}

// a: {0}, {1, 2}; b: {4, 4}, {}; unused: {3, 3}, {0}
KeyedJaggedTensor small_features() {
  return {{"a", "unused", "b"}, {0, 1, 2, 3, 3, 0, 4, 4}, Numbers{1, 2, 2, 1, 2, 0}};
}

void expect_rows(const Tensor& got, const Tensor& want) {
  expect_values(got, want.shape(), want.to_vector<double>(), 1e-12);
}

TEST(Embeddings, GiveEachIdItsRow) {
  const EmbeddingCollection tables({sequence_table("x", {"a", "b"}), sequence_table("y", {"a"}, 7, 2)});
  const KeyedRows rows = tables(small_features());
  EXPECT_EQ(rows.keys(), (std::vector<std::string>{"a@x", "b", "a@y"}));
  const Tensor x = arbitrary({5, 3}, 3), y = arbitrary({7, 2}, 3), none = zeros({3}, DType::f64);
  const JaggedTensor a = rows.at("a@x"), b = rows.at("b");
  // Rows of the key that no table of this width looks up are zeros.
  expect_rows(a.values(), stack({x[0], x[1], x[2], none, none, none, x[4], x[4]}));
  expect_values(a.begins(), {2}, {0, 1});
  expect_values(a.ends(), {2}, {1, 3});
  expect_values(b.begins(), {2}, {6, 8});
  expect_values(b.lengths(), {2}, {2, 0});
  expect_rows(a.padded(3), stack({stack({x[0], none, none}), stack({x[1], x[2], none})}));
  expect_rows(b.padded(1), stack({stack({x[4]}), stack({none})}));
  const Tensor empty = zeros({2}, DType::f64);
  expect_rows(rows.at("a@y").padded(2), stack({stack({y[0], empty}), stack({y[1], y[2]})}));
  expect_error([&] { rows.at("a"); }, "KeyedRows.at: there is no key \"a\" among a@x,b,a@y");
  expect_error(
      [&] { a.offsets(); },
      "JaggedTensor.offsets: it was taken from several features, so other values stand between its own: use begins "
      "and ends");
  expect_error([&] { small_features().at("a").padded(2); },
               "JaggedTensor.padded: expected rows [n, width], got values of tensor<8xi64>");
}

TEST(Embeddings, GradientsAreThoseOfTake) {
  EmbeddingConfig dense = sequence_table("x", {"a", "b"});
  dense.sparse_update = false;
  EmbeddingCollection tables({dense});
  const Tensor factors = arbitrary({2, 2, 3}, 5), more = arbitrary({2, 1, 3}, 7), x = tables.weight("x");
  const KeyedRows rows = tables(small_features());
  const Tensor got = grad(sum(rows.at("a").padded(2) * factors) + sum(rows.at("b").padded(1) * more), x);
  const Tensor want = grad(sum(x[0] * index(factors, {0, 0})) + sum(x[1] * index(factors, {1, 0})) +
                               sum(x[2] * index(factors, {1, 1})) + sum(x[4] * index(more, {0, 0})),
                           x);
  expect_rows(got, want);
}

struct SequenceModel {
  EmbeddingCollection tables;
  Parameter factor{arbitrary({1, 4, 3}, 9)};

  Tensor loss(const KeyedJaggedTensor& features) const {
    const KeyedRows rows = tables(features);
    const Tensor a = rows.at("a").padded(4), b = rows.at("b").padded(4), c = rows.at("c").padded(2);
    return sum(square(a * b * factor + a)) + sum(square(c - 1));
  }
  void fields(auto&& field) {
    field("tables", tables);
    field("factor", factor);
  }
};

constexpr std::int64_t sequences = 8;

// Features with repeated ids and empty bags; with seed 2 there are no ids at all.
KeyedJaggedTensor sequence_features(int seed, std::int64_t batch = sequences) {
  std::mt19937 random(seed);
  Numbers values, lengths;
  for (std::int64_t bag = 0; bag < 3 * batch; ++bag) {
    lengths.push_back(seed == 2 ? 0 : static_cast<std::int64_t>(random() % 4));
    for (std::int64_t i = 0; i < lengths.back(); ++i) values.push_back(static_cast<std::int64_t>(random() % 5));
  }
  return {{"a", "b", "c"}, std::move(values), lengths};
}

std::vector<EmbeddingConfig> sequence_configs(bool sparse, DType dtype) {
  std::vector<EmbeddingConfig> configs{sequence_table("x", {"a", "b"}), sequence_table("y", {"c"}, 5, 2)};
  for (EmbeddingConfig& config : configs) {
    config.sparse_update = sparse;
    config.data_type = dtype;
    config.init_fn = [](const Shape& shape, DType type) { return arbitrary(shape, 3).to(type); };
  }
  return configs;
}

template <class Optimizer>
std::vector<test::Doubles> train_sequences(bool sparse, const std::optional<ShardingPlan>& plan = {},
                                           DType dtype = DType::f64) {
  SequenceModel model{EmbeddingCollection(sequence_configs(sparse, dtype), {.plan = plan})};
  model.factor.reset(model.factor.tensor().to(dtype));
  Optimizer optimizer(model, {.lr = 0.02});
  const auto body = [&](const KeyedJaggedTensor& features) {
    const Tensor loss = model.loss(features);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  };
  std::vector<test::Doubles> values(1);
  if (plan) {
    const auto step = compile(plan->mesh, body);
    for (int i = 0; i < 5; ++i)
      values[0].push_back(step(sequence_features(i).sharded("data", plan->mesh)).template item<double>());
  } else {
    const auto step = compile(body);
    for (int i = 0; i < 5; ++i) values[0].push_back(step(sequence_features(i)).template item<double>());
    EXPECT_EQ(step.explain().compiles, 1u) << step.explain();
  }
  for (const char* table : {"x", "y"}) values.push_back(model.tables.rows(table).template to_vector<double>());
  return values;
}

void expect_runs_near(const std::vector<test::Doubles>& got, const std::vector<test::Doubles>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].size(), want[i].size());
    for (std::size_t k = 0; k < got[i].size(); ++k)
      EXPECT_NEAR(got[i][k], want[i][k], tolerance * (1 + std::abs(want[i][k]))) << i << ", " << k;
  }
}

TEST(Embeddings, SparseUpdatesEqualUpdatesOfAllRows) {
  expect_runs_near(train_sequences<optim::SGD>(true), train_sequences<optim::SGD>(false), 1e-12);
  expect_runs_near(train_sequences<optim::Adagrad>(true), train_sequences<optim::Adagrad>(false), 1e-12);
}

const Mesh four_devices{{"data", 4}}, two_hosts{{"host", 2}, {"data", 2}};

TEST(Embeddings, TrainOnMeshesAsOnOneDevice) {
  const auto want = train_sequences<optim::Adagrad>(true, {}, DType::f32);
  const ShardingPlan plans[] = {
      {four_devices, {"data"}, {{}, {}}},
      {four_devices, {"data"}, {{TableSharding::row_wise}, {TableSharding::row_wise}}},
      {four_devices, {"data"}, {{TableSharding::table_wise, {2}}, {TableSharding::row_wise}}},
      {two_hosts, {"host", "data"}, {{TableSharding::table_row_wise, {1}}, {}}},
  };
  for (const ShardingPlan& plan : plans)
    expect_runs_near(train_sequences<optim::Adagrad>(true, plan, DType::f32), want, 2e-5);
}

TEST(Embeddings, NameWhatIsWrong) {
  const auto make = [](std::vector<EmbeddingConfig> tables, embed::EmbeddingOptions options = {}) {
    return EmbeddingCollection(std::move(tables), std::move(options));
  };
  expect_error([&] { make({sequence_table("t", {"a"}), sequence_table("t", {"b"})}); },
               "EmbeddingCollection: two tables have the name \"t\"");
  embed::EmbeddingOptions columns{.plan = ShardingPlan{four_devices, {"data"}, {{TableSharding::column_wise, {0, 1}}}}};
  expect_error(
      [&] { make({sequence_table("t", {"a"}, 5, 4)}, columns); },
      "EmbeddingCollection: table \"t\" is divided by columns, but its rows are not pooled: divide it by rows, or "
      "leave it on one device");
  embed::EmbeddingOptions twice{
      .plan = ShardingPlan{four_devices, {"data"}, {{TableSharding::row_wise}, {TableSharding::row_wise}}}};
  expect_error(
      [&] { make({sequence_table("t", {"a"}), sequence_table("u", {"a"})}, twice); },
      "EmbeddingCollection: the feature \"a\" looks up several tables that are divided alike: make a collection "
      "for each");
  const EmbeddingCollection tables({sequence_table("t", {"z"})});
  expect_error([&] { tables(small_features()); },
               "EmbeddingCollection: table \"t\" looks up the feature \"z\", which is not among a,unused,b");
}

TEST(Embeddings, BadIdsFailTheLaunchOrHaveZeros) {
  const KeyedJaggedTensor features({"a"}, {3, 5, -1}, Numbers{1, 2});
  const EmbeddingCollection strict({sequence_table("t", {"a"})});
  try {
    strict(features).at("a").values().to_vector<double>();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("embedding: id 5 of \"a\", sample 1, is no row of its table, which has 5 rows"));
  }
  const EmbeddingCollection ignoring({sequence_table("t", {"a"})}, {.bounds = IdBounds::ignore});
  const Tensor none = zeros({3}, DType::f64);
  expect_rows(ignoring(features).at("a").values(), stack({arbitrary({5, 3}, 3)[3], none, none}));
}

}  // namespace
}  // namespace weft
