#include <apps/text/sampling.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/error.h>

namespace weft::text {
namespace {

const float infinity = std::numeric_limits<float>::infinity();

std::map<std::int64_t, int> draws(const std::vector<float>& logits, const SamplingOptions& options, int count) {
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < count; ++i) ++counts[sample_token(logits, options, i)];
  return counts;
}

TEST(Sampling, FollowsTheDistribution) {
  const std::vector<float> logits = {std::log(1.f), std::log(2.f), -infinity, std::log(5.f)};
  auto counts = draws(logits, {1, 0, 7}, 80'000);
  EXPECT_NEAR(counts[0], 10'000, 500);
  EXPECT_NEAR(counts[1], 20'000, 500);
  EXPECT_EQ(counts[2], 0);
  EXPECT_NEAR(counts[3], 50'000, 500);
  counts = draws(logits, {0.5, 0, 7}, 30'000);  // squares: 1, 4, 25
  EXPECT_NEAR(counts[3], 25'000, 500);
}

TEST(Sampling, TopKAndTheLikeliest) {
  const std::vector<float> logits = {1, 3, 2, 3};
  EXPECT_EQ(draws(logits, {0, 0, 1}, 20), (std::map<std::int64_t, int>{{1, 20}}));
  EXPECT_EQ(draws(logits, {1, 2, 1}, 200).size(), 2u);
  EXPECT_EQ(draws(logits, {1, 100, 1}, 1000).size(), 4u);
  EXPECT_EQ(draws(logits, {1e-300, 0, 1}, 1).size(), 1u);
}

TEST(Sampling, DependsOnSeedAndIndexAlone) {
  const std::vector<float> logits(256, 0);
  EXPECT_EQ(sample_token(logits, {1, 0, 3}, 5), sample_token(logits, {1, 0, 3}, 5));
  EXPECT_GT(draws(logits, {1, 0, 3}, 1000).size(), 200u);
}

TEST(Sampling, LogitsOfADivergedModelAreAnError) {
  const std::vector<float> logits(4, std::numeric_limits<float>::quiet_NaN());
  EXPECT_THROW(sample_token(logits, {}, 0), Error);
}

}  // namespace
}  // namespace weft::text
