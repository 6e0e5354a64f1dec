// Bags that several samples share, against the same bags given for each sample.
#include <random>

#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::EmbeddingBagCollection;
using embed::KeyedJaggedTensor;
using test::arbitrary;
using test::expect_error;
using test::expect_values;

using Numbers = std::vector<std::int64_t>;

// The same features with and without shared bags.
struct SharedAndGiven {
  KeyedJaggedTensor shared, given;
};

SharedAndGiven random_shared(int seed, std::int64_t batch, bool weighted = false) {
  std::mt19937 random(seed);
  Numbers values, lengths, counts, bags, all_values, all_lengths;
  std::vector<float> weights, all_weights;
  for (std::int64_t key = 0; key < 3; ++key) {
    counts.push_back(1 + static_cast<std::int64_t>(random() % 4));
    std::vector<Numbers> of_key(counts.back());
    std::vector<std::vector<float>> weights_of_key(counts.back());
    for (std::size_t bag = 0; bag < of_key.size(); ++bag) {
      lengths.push_back(static_cast<std::int64_t>(random() % 4));
      for (std::int64_t i = 0; i < lengths.back(); ++i) {
        values.push_back(static_cast<std::int64_t>(random() % 5));
        weights.push_back(static_cast<float>(random() % 5) / 2);
        of_key[bag].push_back(values.back());
        weights_of_key[bag].push_back(weights.back());
      }
    }
    for (std::int64_t sample = 0; sample < batch; ++sample) {
      const std::size_t bag = random() % of_key.size();
      bags.push_back(static_cast<std::int64_t>(bag));
      all_lengths.push_back(std::ssize(of_key[bag]));
      all_values.insert(all_values.end(), of_key[bag].begin(), of_key[bag].end());
      all_weights.insert(all_weights.end(), weights_of_key[bag].begin(), weights_of_key[bag].end());
    }
  }
  const auto given = [&](std::vector<float> of_ids) {
    return weighted ? embed::IdWeights(std::move(of_ids)) : embed::IdWeights();
  };
  return {KeyedJaggedTensor::with_shared_bags({"a", "b", "c"}, values, lengths, counts, bags, given(weights)),
          KeyedJaggedTensor({"a", "b", "c"}, all_values, all_lengths, given(all_weights))};
}

std::vector<embed::EmbeddingBagConfig> configs_of_shared(DType dtype) {
  const auto table = [dtype](std::string name, std::int64_t width, std::vector<std::string> features) {
    return embed::EmbeddingBagConfig{
        .num_embeddings = 5,
        .embedding_dim = width,
        .name = std::move(name),
        .feature_names = std::move(features),
        .data_type = dtype,
        .init_fn = [](const Shape& shape, DType type) { return arbitrary(shape, 3).to(type); }};
  };
  return {table("x", 3, {"a", "c"}), table("y", 2, {"b"})};
}

void expect_same(const Tensor& got, const Tensor& want, double tolerance = 1e-12) {
  expect_values(got, want.shape(), want.to_vector<double>(), tolerance);
}

TEST(SharedBags, PoolAsBagsOfEachSample) {
  for (const bool weighted : {false, true}) {
    const EmbeddingBagCollection tables(configs_of_shared(DType::f64), {.is_weighted = weighted});
    const SharedAndGiven features = random_shared(1, 6, weighted);
    EXPECT_EQ(features.shared.batch(), 6);
    expect_same(tables(features.shared).values(), tables(features.given).values());
  }
}

TEST(SharedBags, OfTwoInputsMayDifferInNumber) {
  const auto step = compile([](const KeyedJaggedTensor& a, const KeyedJaggedTensor& b) {
    return concatenate({reshape(a.ends(), {-1}), reshape(b.ends(), {-1})});
  });
  const auto with = [](const char* key, const Numbers& lengths) {
    return KeyedJaggedTensor::with_shared_bags({key}, Numbers(lengths.size()), lengths, Numbers{std::ssize(lengths)},
                                               Numbers{0});
  };
  expect_values(step(with("a", {1, 1}), with("b", {1, 1, 1})), {5}, {1, 2, 1, 2, 3});
  expect_values(step(with("a", {1, 1, 1}), with("b", {1})), {4}, {1, 2, 3, 1});
}

TEST(SharedBags, AreCutForOneFeature) {
  const SharedAndGiven features = random_shared(1, 6);
  for (const char* key : {"a", "b", "c"})
    expect_same(features.shared.at(key).lengths(), features.given.at(key).lengths());
  const embed::EmbeddingCollection tables(
      {{.num_embeddings = 5, .embedding_dim = 2, .name = "t", .feature_names = {"b"}}});
  expect_same(tables(features.shared).at("b").padded(3), tables(features.given).at("b").padded(3));
}

std::vector<double> train_shared(bool shared, const std::optional<embed::ShardingPlan>& plan, DType dtype) {
  EmbeddingBagCollection tables(configs_of_shared(dtype), {.plan = plan});
  optim::Adagrad optimizer(tables, {.lr = 0.05});
  const Tensor factor = arbitrary({1, 8}, 9).to(dtype);
  const auto body = [&](const KeyedJaggedTensor& features) {
    const Tensor loss = sum(square(tables(features).values() * factor - 1));
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  };
  std::vector<double> values;
  const auto run = [&](const auto& step, const auto& place) {
    for (int i = 0; i < 6; ++i) {
      const SharedAndGiven features = random_shared(i, 8);
      values.push_back(step(place(shared ? features.shared : features.given)).template item<double>());
    }
    EXPECT_TRUE(plan || step.explain().compiles == 1) << step.explain();
  };
  if (plan)
    run(compile(plan->mesh, body),
        [&](const KeyedJaggedTensor& features) { return features.sharded("data", plan->mesh); });
  else
    run(compile(body), [](const KeyedJaggedTensor& features) { return features; });
  for (const char* table : {"x", "y"})
    for (const double x : tables.rows(table).to_vector<double>()) values.push_back(x);
  return values;
}

TEST(SharedBags, TrainAsBagsOfEachSample) {
  const auto expect = [](const std::vector<double>& got, const std::vector<double>& want, double tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i]))) << i;
  };
  expect(train_shared(true, {}, DType::f64), train_shared(false, {}, DType::f64), 1e-11);
  const auto want = train_shared(false, {}, DType::f32);
  const Mesh mesh{{"data", 4}};
  expect(train_shared(true, embed::ShardingPlan{mesh, {"data"}, {{}, {}}}, DType::f32), want, 2e-5);
  expect(train_shared(true, embed::ShardingPlan{mesh, {"data"}, {{embed::TableSharding::row_wise}, {}}}, DType::f32),
         want, 2e-5);
}

TEST(SharedBags, NameWhatIsWrong) {
  const auto make = [](Numbers lengths, Numbers counts, Numbers bags) {
    KeyedJaggedTensor::with_shared_bags({"a", "b"}, {1, 2, 3}, lengths, counts, bags);
  };
  expect_error([&] { make({1, 2}, {1, 1}, {0, 0, 1, 0}); },
               "KeyedJaggedTensor.with_shared_bags: \"b\", sample 0, has the bag 1; there are 1");
  expect_error([&] { make({1, 1, 1}, {1, 1}, {0, 0, 0, 0}); },
               "KeyedJaggedTensor.with_shared_bags: 3 lengths for 2 bags");
  expect_error([&] { make({1, 2}, {2}, {0, 0, 0, 0}); },
               "KeyedJaggedTensor.with_shared_bags: numbers of bags are given for 1 of 2 keys");
  expect_error([&] { make({1, 1}, {1, 1}, {0, 0, 0, 0}); },
               "KeyedJaggedTensor: the lengths sum to 2, but there are 3 values");
}

}  // namespace
}  // namespace weft
