// Collections of tables against lookups written with weft's own take and sum.
#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::EmbeddingBagCollection;
using embed::EmbeddingBagConfig;
using embed::KeyedJaggedTensor;
using embed::Pooling;
using test::arbitrary;
using test::expect_error;
using test::expect_values;

using Numbers = std::vector<std::int64_t>;

EmbeddingBagConfig table(std::string name, std::vector<std::string> features, std::int64_t rows = 5,
                         std::int64_t width = 3) {
  return {.num_embeddings = rows,
          .embedding_dim = width,
          .name = std::move(name),
          .feature_names = std::move(features),
          .data_type = DType::f64,
          .init_fn = [](const Shape& shape, DType) { return arbitrary(shape, 3); }};
}

// What a bag gives, from single rows.
Tensor pooled_row(const Tensor& rows, const Numbers& ids, const test::Doubles& weights, bool mean) {
  Tensor sum = zeros({rows.size(1)}, DType::f64);
  for (std::size_t i = 0; i < ids.size(); ++i) sum = sum + rows[ids[i]] * (weights.empty() ? 1.0 : weights[i]);
  return mean && !ids.empty() ? sum / static_cast<double>(ids.size()) : sum;
}

void expect_equal(const Tensor& a, const Tensor& b) { expect_values(a, b.shape(), b.to_vector<double>(), 1e-12); }

TEST(EmbeddingBags, PoolSumsAndMeansOfSharedTables) {
  EmbeddingBagConfig means = table("means", {"c", "a"}, 7, 2);
  means.pooling = Pooling::mean;
  const EmbeddingBagCollection tables({table("sums", {"a", "b"}), means});
  // In another order than the tables ask for, with a feature that no table uses.
  const KeyedJaggedTensor features({"b", "unused", "a", "c"}, {4, 4, 9, 0, 1, 2, 3, 3, 6},
                                   Numbers{2, 0, 1, 0, 1, 2, 0, 3});
  const embed::KeyedTensor pooled = tables(features);
  EXPECT_EQ(pooled.keys(), (std::vector<std::string>{"a@sums", "b", "c", "a@means"}));
  const Tensor sums = arbitrary({5, 3}, 3), mean = arbitrary({7, 2}, 3);
  expect_equal(pooled.at("a@sums"), stack({pooled_row(sums, {0}, {}, false), pooled_row(sums, {1, 2}, {}, false)}));
  expect_equal(pooled.at("b"), stack({pooled_row(sums, {4, 4}, {}, false), pooled_row(sums, {}, {}, false)}));
  expect_equal(pooled.at("c"), stack({pooled_row(mean, {}, {}, true), pooled_row(mean, {3, 3, 6}, {}, true)}));
  expect_equal(pooled.at("a@means"), stack({pooled_row(mean, {0}, {}, true), pooled_row(mean, {1, 2}, {}, true)}));
}

TEST(EmbeddingBags, WeighRowsAndGiveGradientsOfWeights) {
  const EmbeddingBagCollection tables({table("t", {"a"})}, {.is_weighted = true});
  const KeyedJaggedTensor features({"a"}, {1, 4, 1}, Numbers{2, 1}, {0.5f, -2, 3});
  const Tensor rows = arbitrary({5, 3}, 3), pooled = tables(features).values();
  expect_equal(pooled, stack({pooled_row(rows, {1, 4}, {0.5, -2}, false), pooled_row(rows, {1}, {3}, false)}));
  const Tensor factors = arbitrary({2, 3}, 5);
  const Tensor gradient = grad(sum(tables(features).values() * factors), features.weights());
  expect_values(gradient, {3},
                {sum(rows[1] * factors[0]).item(), sum(rows[4] * factors[0]).item(), sum(rows[1] * factors[1]).item()},
                1e-6);
}

TEST(EmbeddingBags, GradientOfADenseTableIsThatOfTake) {
  EmbeddingBagConfig dense = table("t", {"a"});
  dense.sparse_update = false;
  EmbeddingBagCollection tables({dense});
  const KeyedJaggedTensor features({"a"}, {1, 4, 1}, Numbers{2, 1});
  const Tensor factors = arbitrary({2, 3}, 5), rows = tables.weight("t");
  const Tensor got = grad(sum(tables(features).values() * factors), tables.weight("t").tensor());
  const Tensor expected = grad(sum((rows[1] + rows[4]) * factors[0]) + sum(rows[1] * factors[1]), rows);
  expect_equal(got, expected);
}

TEST(EmbeddingBags, HaveParametersByTable) {
  EmbeddingBagCollection tables({table("x", {"a"}), table("y", {"b"})});
  const auto named = named_parameters(tables);
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].name, "embedding_bags.x.weight");
  EXPECT_EQ(named[1].name, "embedding_bags.y.weight");
  EXPECT_TRUE(named[0].parameter->sparse_update);
}

TEST(EmbeddingBags, InitialRowsAreSmall) {
  EmbeddingBagCollection tables({{.num_embeddings = 100, .embedding_dim = 4, .name = "t", .feature_names = {"a"}}});
  const Tensor rows = tables.weight("t");
  EXPECT_LE(max(abs(rows)).item(), 0.1);
  EXPECT_GT(max(abs(rows)).item(), 0.05);
}

TEST(EmbeddingBags, NameWhatIsWrong) {
  const auto make = [](std::vector<EmbeddingBagConfig> tables) { return EmbeddingBagCollection(std::move(tables)); };
  expect_error([&] { make({table("t", {"a"}), table("t", {"b"})}); },
               "EmbeddingBagCollection: two tables have the name \"t\"");
  expect_error([&] { make({table("t", {"a"}, 0)}); },
               "EmbeddingBagCollection: table \"t\" has 0 rows of width 3; both must be positive");
  expect_error([&] { make({table("t", {})}); }, "EmbeddingBagCollection: table \"t\" has no features");
  expect_error([&] { make({table("t", {"a", "a"})}); },
               "EmbeddingBagCollection: table \"t\" has the feature \"a\" twice");
  const EmbeddingBagCollection tables = make({table("t", {"a"})});
  expect_error([&] { tables(KeyedJaggedTensor({"b", "c"}, {}, Numbers{0, 0})); },
               "EmbeddingBagCollection: table \"t\" looks up the feature \"a\", which is not among b,c");
  const EmbeddingBagCollection weighted({table("t", {"a"})}, {.is_weighted = true});
  expect_error([&] { weighted(KeyedJaggedTensor({"a"}, {}, Numbers{0})); },
               "EmbeddingBagCollection: the collection is weighted, but the features have no weights");
}

std::string error_of_launch(const EmbeddingBagCollection& tables, const KeyedJaggedTensor& features) {
  try {
    tables(features).values().to_vector<double>();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(EmbeddingBags, BadIdsFailTheLaunchOrAreSkipped) {
  const KeyedJaggedTensor features({"b", "a"}, {0, 3, 5, -1}, Numbers{1, 0, 1, 2});
  const EmbeddingBagCollection strict({table("t", {"a"})});
  EXPECT_THAT(error_of_launch(strict, features),
              testing::HasSubstr("embedding: id 5 of \"a\", sample 1, is no row of its table, which has 5 rows"));
  const EmbeddingBagCollection ignoring({table("t", {"a"})}, {.bounds = IdBounds::ignore});
  const Tensor rows = arbitrary({5, 3}, 3);
  expect_equal(ignoring(features).values(), stack({rows[3], zeros({3}, DType::f64)}));
}

TEST(EmbeddingBags, EndsThatDecreaseFailTheLaunch) {
  const Tensor values = from_vector(Numbers{1, 2}, {2}), lengths = from_vector(Numbers{3, -1}, {2});
  const EmbeddingBagCollection tables({table("t", {"a"})});
  EXPECT_THAT(error_of_launch(tables, KeyedJaggedTensor::from_tensors({"a"}, values, lengths)),
              testing::HasSubstr("the bag of \"a\", sample 0, begins at 0 and ends at 3, with 2 ids in all"));
}

}  // namespace
}  // namespace weft
