// Weights of ids by position, against weights that are given.
#include <gtest/gtest.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using embed::KeyedJaggedTensor;
using embed::PositionWeights;
using test::expect_error;
using test::expect_values;

using Numbers = std::vector<std::int64_t>;

// a: {9}, {8, 7, 6, 5}; b: {}, {4, 3}; c: {2}, {}
KeyedJaggedTensor features_with_positions() {
  return {{"a", "b", "c"}, {9, 8, 7, 6, 5, 4, 3, 2}, Numbers{1, 4, 0, 2, 1, 0}};
}

PositionWeights numbered_weights() {
  PositionWeights weights({{"b", 2}, {"a", 3}});
  weights.weight("a") = from_vector(std::vector<float>{10, 20, 30}, {3});
  weights.weight("b") = from_vector(std::vector<float>{0.5, 0.25}, {2});
  return weights;
}

TEST(PositionWeights, AreThoseOfThePlaceInTheBag) {
  const PositionWeights weights = numbered_weights();
  expect_values(weights(features_with_positions()).weights(), {8}, {10, 10, 20, 30, 30, 0.5, 0.25, 1});
  expect_values(weights(KeyedJaggedTensor({"a", "b"}, {}, Numbers{0, 0})).weights(), {0}, {});
  const KeyedJaggedTensor shared = KeyedJaggedTensor::with_shared_bags({"a", "b"}, {1, 2, 3, 4}, Numbers{2, 1, 1},
                                                                       Numbers{2, 1}, Numbers{1, 0, 0, 0, 0, 0});
  expect_values(weights(shared).weights(), {4}, {10, 20, 10, 0.5});
}

TEST(PositionWeights, AreTheSameInBlocks) {
  const Mesh mesh{{"data", 2}};
  const PositionWeights weights = numbered_weights();
  const KeyedJaggedTensor blocks = features_with_positions().sharded("data", mesh);
  const auto step = compile(mesh, [&](const KeyedJaggedTensor& x) { return weights(x).weights(); });
  // The second block has {8, 7, 6, 5}, {4, 3}, {}.
  expect_values(step(blocks), {2, 6}, {10, 1, 0, 0, 0, 0, 10, 20, 30, 30, 0.5, 0.25});
}

TEST(PositionWeights, HaveGradients) {
  PositionWeights weights = numbered_weights();
  const Tensor factors = from_vector(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {8});
  const Tensor of_ids = weights(features_with_positions()).weights();
  const auto gradients = grad(sum(of_ids * factors), {weights.weight("a").tensor(), weights.weight("b").tensor()});
  expect_values(gradients[0], {3}, {1 + 2, 3, 4 + 5});
  expect_values(gradients[1], {2}, {6, 7});
}

TEST(PositionWeights, CompileOnceForAnyNumberOfIds) {
  const PositionWeights weights = numbered_weights();
  const auto step = compile([&](const KeyedJaggedTensor& x) { return weights(x).weights(); });
  expect_values(step(KeyedJaggedTensor({"a", "b"}, {1, 2, 3}, Numbers{2, 1})), {3}, {10, 20, 0.5});
  expect_values(step(KeyedJaggedTensor({"a", "b"}, {1, 2, 3, 4, 5}, Numbers{3, 2})), {5}, {10, 20, 30, 0.5, 0.25});
  expect_values(step(KeyedJaggedTensor({"a", "b"}, {}, Numbers{0, 0})), {0}, {});
  EXPECT_LE(step.explain().compiles, 1u) << step.explain();
}

TEST(PositionWeights, NameWhatIsWrong) {
  expect_error([] { PositionWeights({{"a", 0}}); }, "PositionWeights: feature \"a\" has 0 positions");
  expect_error([] { PositionWeights({{"a", 1}, {"a", 1}}); }, "PositionWeights: the feature \"a\" occurs twice");
  expect_error([] { PositionWeights({{"z", 1}})(features_with_positions()); },
               "PositionWeights: the feature \"z\" is not among a,b,c");
}

}  // namespace
}  // namespace weft
