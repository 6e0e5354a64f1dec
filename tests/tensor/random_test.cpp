#include <algorithm>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;

double mean_of(const Doubles& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double variance_of(const Doubles& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return sum / static_cast<double>(values.size());
}

TEST(Random, SameKeySameNumbers) {
  const random::Key key(7);
  EXPECT_EQ(random::normal(key, {100}).to_vector<float>(), random::normal(key, {100}).to_vector<float>());
  EXPECT_NE(random::normal(key, {100}).to_vector<float>(),
            random::normal(random::fold_in(key, 1), {100}).to_vector<float>());
  const auto keys = random::split(key, 3);
  EXPECT_NE(keys[0], keys[1]);
  EXPECT_NE(keys[1], keys[2]);
}

TEST(Random, SeedsStartTheGeneratorAgain) {
  manual_seed(3);
  const Tensor a = rand({10}), b = rand({10});
  manual_seed(3);
  const Tensor c = rand({10});
  EXPECT_EQ(a.to_vector<float>(), c.to_vector<float>());
  EXPECT_NE(a.to_vector<float>(), b.to_vector<float>());
}

TEST(Random, NewKeysDoNotRecompile) {
  const auto draw = [] {
    const Tensor x = randn({8});
    sync();
    return x;
  };
  draw();
  draw();
  draw();
  EXPECT_FALSE(last_sync().compiled);
}

TEST(Random, Uniform) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
    const Doubles values = random::uniform(random::Key(1), {4000}, dtype).to_vector<double>();
    EXPECT_GE(*std::ranges::min_element(values), 0) << dtype;
    EXPECT_LT(*std::ranges::max_element(values), 1) << dtype;
    EXPECT_NEAR(mean_of(values), 0.5, 0.02) << dtype;
    EXPECT_NEAR(variance_of(values), 1.0 / 12, 0.005) << dtype;
  }
}

TEST(Random, Normal) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    const Doubles values = random::normal(random::Key(2), {4000}, dtype).to_vector<double>();
    EXPECT_NEAR(mean_of(values), 0, 0.06) << dtype;
    EXPECT_NEAR(variance_of(values), 1, 0.08) << dtype;
    EXPECT_NEAR(static_cast<double>(std::ranges::count_if(values, [](double v) { return std::abs(v) > 2; })) / 4000,
                0.0455, 0.012);
  }
}

TEST(Random, Integers) {
  Doubles values = random::integers(random::Key(3), {3000}, -2, 4).to_vector<double>();
  for (int v = -2; v < 4; ++v) EXPECT_NEAR(static_cast<double>(std::ranges::count(values, v)), 500, 80) << v;
  EXPECT_EQ(*std::ranges::min_element(values), -2);
  EXPECT_EQ(*std::ranges::max_element(values), 3);
  expect_error([] { randint(3, 3, {1}); }, "random::integers: [3, 3) is empty or too wide");
}

TEST(Random, Permutation) {
  Doubles values = random::permutation(random::Key(4), 50).to_vector<double>();
  EXPECT_FALSE(std::ranges::is_sorted(values));
  std::ranges::sort(values);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(values[i], i);
}

TEST(Random, Categorical) {
  const Tensor logits = broadcast_to(log(tensor({0.5f, 0.25f, 0.25f})), {4000, 3});
  const Doubles values = random::categorical(random::Key(5), logits).to_vector<double>();
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 0)) / 4000, 0.5, 0.03);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 2)) / 4000, 0.25, 0.03);
}

TEST(Random, BernoulliAndDropout) {
  EXPECT_NEAR(mean_of(random::bernoulli(random::Key(6), {4000}, 0.2).to_vector<double>()), 0.2, 0.025);
  const Doubles values = dropout(random::Key(6), ones({4000}), 0.2).to_vector<double>();
  for (const double v : values) EXPECT_TRUE(v == 0 || v == 1.25) << v;
  EXPECT_NEAR(mean_of(values), 1, 0.04);
  const Tensor x = ones({100});
  const Tensor y = dropout(random::Key(8), x, 0.5), dx = grad(sum(y), x);
  EXPECT_EQ(dx.to_vector<float>(), y.to_vector<float>()) << "the gradient is masked as the value is";
}

}  // namespace
}  // namespace weft
