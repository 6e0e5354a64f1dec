#include <limits>

#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::JaggedTensor;
using embed::KeyedJaggedTensor;
using embed::KeyedTensor;
using test::expect_error;
using test::expect_values;

using Numbers = std::vector<std::int64_t>;

TEST(Jagged, HasValuesLengthsAndOffsets) {
  const JaggedTensor jagged({5, 6, 7}, Numbers{2, 0, 1}, {0.5f, 1, 2});
  EXPECT_EQ(jagged.batch(), 3);
  expect_values(jagged.values(), {3}, {5, 6, 7});
  expect_values(jagged.weights(), {3}, {0.5, 1, 2});
  expect_values(jagged.lengths(), {3}, {2, 0, 1});
  expect_values(jagged.offsets(), {4}, {0, 2, 2, 3});
  expect_values(JaggedTensor::from_offsets({5, 6, 7}, Numbers{0, 2, 2, 3}).ends(), {3}, {2, 2, 3});
  const Tensor lengths = from_vector(Numbers{2, 0, 1}, {3});
  expect_values(JaggedTensor::from_tensors(jagged.values(), lengths).ends(), {3}, {2, 2, 3});
}

TEST(Jagged, IsDividedInBlocks) {
  const Mesh mesh{{"data", 2}};
  const KeyedJaggedTensor features({"a", "b"}, {1, 2, 3, 4, 5, 6, 7}, Numbers{1, 0, 2, 1, 0, 0, 2, 1},
                                   {1, 2, 3, 4, 5, 6, 7});
  const KeyedJaggedTensor blocks = features.sharded("data", mesh);
  EXPECT_EQ(blocks.batch(), 4);
  expect_values(blocks.ends(), {2, 2, 2}, {1, 1, 1, 1, 2, 3, 5, 6});
  expect_values(blocks.values(), {2, 6}, {1, 0, 0, 0, 0, 0, 2, 3, 4, 5, 6, 7});
  expect_values(blocks.weights(), {2, 6}, {1, 0, 0, 0, 0, 0, 2, 3, 4, 5, 6, 7});
  expect_error([&] { blocks.lengths(); }, "KeyedJaggedTensor.lengths: the features are in blocks");
  expect_error([&] { blocks.sharded("data", mesh); }, "KeyedJaggedTensor.sharded: the features are in blocks already");
  expect_error([&] { features.sharded("data", Mesh{{"data", 3}}); },
               "KeyedJaggedTensor.sharded: a batch of 4 does not divide among 3 devices (data); the nearest that do "
               "are 3 and 6");
  expect_error([&] { features.sharded("model", mesh); }, "the mesh (data=2) has no axis 'model'");
}

TEST(Jagged, WeightsOfNoValuesAreNotNoWeights) {
  EXPECT_FALSE(JaggedTensor({}, Numbers{0, 0}).weights().defined());
  EXPECT_TRUE(JaggedTensor({}, Numbers{0, 0}, std::vector<float>()).weights().defined());
}

TEST(Jagged, IsKeyMajor) {
  const KeyedJaggedTensor features({"a", "b"}, {1, 2, 3, 4}, Numbers{1, 0, 2, 1});
  EXPECT_EQ(features.batch(), 2);
  expect_values(features.ends(), {2, 2}, {1, 1, 3, 4});
  expect_values(features.lengths(), {2, 2}, {1, 0, 2, 1});
  expect_values(features.offsets(), {5}, {0, 1, 1, 3, 4});
  EXPECT_FALSE(features.weights().defined());
  expect_values(KeyedJaggedTensor::from_offsets({"a", "b"}, {1, 2, 3, 4}, Numbers{0, 1, 1, 3, 4}).ends(), {2, 2},
                {1, 1, 3, 4});
  const Tensor lengths = from_vector(Numbers{1, 0, 2, 1}, {4});
  expect_values(KeyedJaggedTensor::from_tensors({"a", "b"}, features.values(), lengths).ends(), {2, 2}, {1, 1, 3, 4});
}

TEST(Jagged, MayBeEmpty) {
  const KeyedJaggedTensor no_samples({"a", "b"}, {}, Numbers{});
  EXPECT_EQ(no_samples.batch(), 0);
  expect_values(no_samples.offsets(), {1}, {0});
  expect_values(KeyedJaggedTensor({"a"}, {}, Numbers{0, 0}).lengths(), {1, 2}, {0, 0});
}

TEST(Jagged, NamesWhatIsWrong) {
  const auto make = [](std::vector<std::string> keys, Numbers values, Numbers lengths,
                       std::vector<float> weights = {}) {
    return KeyedJaggedTensor(std::move(keys), std::move(values), lengths, std::move(weights));
  };
  expect_error([&] { make({"a", "b"}, {1, 2}, {1, 1, -1, 1}); },
               "KeyedJaggedTensor: the length of \"b\", sample 0 is -1");
  expect_error([&] { make({"a"}, {1, 2}, {1, 2}); }, "KeyedJaggedTensor: the lengths sum to 3, but there are 2 values");
  expect_error([&] { make({"a", "b"}, {1}, {1, 0, 0}); }, "KeyedJaggedTensor: 3 lengths are no whole batch of 2 keys");
  expect_error([&] { make({"a", "a"}, {}, {0, 0}); }, "KeyedJaggedTensor: the key \"a\" occurs twice");
  expect_error([&] { make({"a,b"}, {}, {0}); }, "KeyedJaggedTensor: key 0 is empty or contains a comma: \"a,b\"");
  expect_error([&] { make({}, {}, {}); }, "KeyedJaggedTensor: there are no keys");
  expect_error([&] { make({"a"}, {1, 2}, {2}, {1.f}); }, "KeyedJaggedTensor: 1 weights for 2 values");
  expect_error([&] { make({"a"}, {1, 2}, {2}, {1.f, std::numeric_limits<float>::quiet_NaN()}); },
               "KeyedJaggedTensor: weight 1 is not a number");
  expect_error([&] { JaggedTensor({1}, Numbers{-2}); }, "JaggedTensor: the length of sample 0 is -2");
  expect_error([&] { JaggedTensor::from_offsets({1}, Numbers{1, 1}); },
               "JaggedTensor.from_offsets: offsets begin with 0, got 1");
}

TEST(KeyedTensor, GivesColumnsByKeyAndRegroups) {
  const KeyedTensor first({"a", "b"}, {1, 2}, from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  const KeyedTensor second({"c"}, {1}, from_vector<float>({7, 8}, {2, 1}));
  expect_values(first.at("b"), {2, 2}, {2, 3, 5, 6});
  const std::vector<KeyedTensor> tensors{first, second};
  const std::vector<std::vector<std::string>> groups{{"c", "a"}, {"b"}};
  const std::vector<Tensor> regrouped = embed::regroup(tensors, groups);
  expect_values(regrouped[0], {2, 2}, {7, 1, 8, 4});
  expect_values(regrouped[1], {2, 2}, {2, 3, 5, 6});
  expect_error([&] { first.at("c"); }, "KeyedTensor.at: there is no key \"c\" among a, b");
  const std::vector<std::vector<std::string>> unknown{{"d"}};
  expect_error([&] { embed::regroup(tensors, unknown); }, "regroup: the key \"d\" is in none of the tensors");
  expect_error([] { KeyedTensor({"a"}, {2}, zeros({2, 3})); },
               "KeyedTensor: the widths sum to 2, but the values are tensor<2x3xf32>");
}

}  // namespace
}  // namespace weft
