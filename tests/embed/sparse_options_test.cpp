// Updates of tables with rounding at random and with clipped gradients.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <weft/runtime/parallel.h>

#include "tests/compiler/run.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::EmbeddingBagCollection;
using embed::KeyedJaggedTensor;
using embed::ShardingPlan;
using embed::TableSharding;
using test::expect_values;

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t rounded_rows = 64, rounded_width = 8;

embed::EmbeddingBagConfig ones_table(std::string name, std::vector<std::string> features, DType dtype = DType::bf16) {
  return {.num_embeddings = rounded_rows,
          .embedding_dim = rounded_width,
          .name = std::move(name),
          .feature_names = std::move(features),
          .data_type = dtype,
          .init_fn = [](const Shape& shape, DType type) { return ones(shape, type); }};
}

struct RoundedModel {
  EmbeddingBagCollection tables;
  Parameter dense{ones({64}, DType::bf16)};
  void fields(auto&& field) {
    field("tables", tables);
    field("dense", dense);
  }
};

// All rows, each once; each step subtracts 2^-12 from all elements, a fraction of the distance of their neighbours.
KeyedJaggedTensor all_rows() {
  Numbers ids(2 * rounded_rows), lengths(2 * rounded_rows, 1);
  std::iota(ids.begin(), ids.begin() + rounded_rows, 0);
  std::iota(ids.begin() + rounded_rows, ids.end(), 0);
  return {{"a", "b"}, std::move(ids), lengths};
}

std::vector<test::Doubles> train_rounded(int steps, const std::optional<ShardingPlan>& plan = {},
                                         bool stochastically = true, DType dtype = DType::bf16) {
  RoundedModel model{
      EmbeddingBagCollection({ones_table("x", {"a"}, dtype), ones_table("y", {"b"}, dtype)}, {.plan = plan})};
  optim::SGD optimizer(model, {.lr = std::ldexp(1, -12)});
  if (stochastically) optimizer.round_stochastically(7);
  const auto body = [&](const KeyedJaggedTensor& features) {
    const Tensor loss = sum(model.tables(features).values()) + sum(model.dense.tensor().to(DType::f32));
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  };
  const auto run = [&](const auto& step, const KeyedJaggedTensor& features) {
    for (int i = 0; i < steps; ++i) step(features);
    EXPECT_LE(step.explain().compiles, 1u);
  };
  plan ? run(compile(plan->mesh, body), all_rows().sharded("data", plan->mesh)) : run(compile(body), all_rows());
  return {model.tables.rows("x").to_vector<double>(), model.tables.rows("y").to_vector<double>(),
          model.dense.tensor().to_vector<double>()};
}

// Each rounding has a variance of at most the square of half the spacing; those of different steps and elements are independent.
TEST(StochasticRoundingOfTables, KeepsSmallUpdatesOnAverage) {
  constexpr int steps = 20;
  const double expected = 1 - steps * std::ldexp(1, -12);
  for (const auto& [dtype, spacing] :
       {std::pair{DType::bf16, std::ldexp(1, -8)}, std::pair{DType::f16, std::ldexp(1, -11)}})
    for (const test::Doubles& values : train_rounded(steps, {}, true, dtype)) {
      const double count = static_cast<double>(values.size());
      const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
      const double of_values =
          values.size() == 64 ? std::ldexp(1, -8) : spacing;  // the dense parameter is always of bf16
      EXPECT_NEAR(mean, expected, 6 * of_values / 2 * std::sqrt(steps / count));
    }
  for (const test::Doubles& values : train_rounded(steps, {}, false))
    EXPECT_EQ(values, test::Doubles(values.size(), 1));
}

TEST(StochasticRoundingOfTables, HasTheSameBitsForAnyThreadsAndDevices) {
  const auto want = train_rounded(5);
  EXPECT_NE(want[0], want[1]);
  EXPECT_EQ(train_rounded(5), want);
  for (const int threads : {1, 3}) {
    const test::Threads with(threads);
    EXPECT_EQ(train_rounded(5), want) << threads << " threads";
  }
  const Mesh mesh{{"data", 4}};
  const ShardingPlan plans[] = {{mesh, {"data"}, {{}, {}}},
                                {mesh, {"data"}, {{TableSharding::row_wise}, {TableSharding::table_wise, {2}}}},
                                {mesh, {"data"}, {{TableSharding::column_wise, {3, 1}}, {TableSharding::row_wise}}}};
  for (const ShardingPlan& plan : plans) EXPECT_EQ(train_rounded(5, plan), want);
}

struct ClippedModel {
  EmbeddingBagCollection tables{{{.num_embeddings = 3,
                                  .embedding_dim = 2,
                                  .name = "t",
                                  .feature_names = {"a"},
                                  .init_fn = [](const Shape& shape, DType type) { return zeros(shape, type); }}}};
  Parameter dense{zeros({2}, DType::f32)};
  void fields(auto&& field) {
    field("tables", tables);
    field("dense", dense);
  }
};

TEST(MaxGradient, ClipsGradientsOfPooledRows) {
  ClippedModel model;
  optim::SGD optimizer(model, {.lr = 1});
  optimizer.max_gradient() = 1;
  const Tensor factors = from_vector(std::vector<float>{5, 0.5, -7, 0.25}, {2, 2});
  const auto step = compile([&](const KeyedJaggedTensor& features) {
    const Tensor loss =
        sum(model.tables(features).values() * factors) + sum(model.dense.tensor() * slice(factors, 0, 0, 1));
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
  const KeyedJaggedTensor features({"a"}, {0, 0, 1}, Numbers{1, 2});
  step(features);
  expect_values(model.tables.weight("t"), {3, 2}, {0, -0.75, 1, -0.25, 0, 0});
  expect_values(model.dense, {2}, {-1, -0.5});
  optimizer.max_gradient() = 6;
  step(features);
  expect_values(model.tables.weight("t"), {3, 2}, {1, -1.5, 7, -0.5, 0, 0});
  EXPECT_EQ(step.explain().compiles, 1u) << step.explain();
  optimizer.max_gradient() = 0;  // none
  step(features);
  expect_values(model.tables.weight("t"), {3, 2}, {3, -2.25, 14, -0.75, 0, 0});
}

}  // namespace
}  // namespace weft
