// AUC and normalised entropy, against values computed by hand and by the definition.
#include <apps/ranking/scores.h>

#include <cmath>

#include <gtest/gtest.h>

#include <weft/base/draws.h>

namespace weft::ranking {
namespace {

double auc(std::initializer_list<std::pair<float, bool>> samples) {
  AreaUnderCurve curve;
  for (const auto& [score, clicked] : samples) curve.add(score, clicked);
  return curve.value().value();
}

TEST(AreaUnderCurve, ByHand) {
  EXPECT_EQ(auc({{0.9f, true}, {0.1f, false}}), 1);
  EXPECT_EQ(auc({{0.1f, true}, {0.9f, false}}), 0);
  EXPECT_EQ(auc({{0.5f, true}, {0.5f, false}}), 0.5);
  // Of the six pairs, (3, 1), (3, 2), (2, 1) are right, (2, 2) is a tie, and (2, 4), (3, 4) are wrong.
  EXPECT_DOUBLE_EQ(auc({{3, true}, {2, true}, {1, false}, {2, false}, {4, false}}), 3.5 / 6);
  EXPECT_DOUBLE_EQ(auc({{1, true}, {1, true}, {1, false}, {1, false}, {0, false}, {2, true}}),
                   (2 * 2 * 0.5 + 2 + 3) / 9);
}

TEST(AreaUnderCurve, IsTheShareOfRightPairs) {
  Draws draws(7);
  AreaUnderCurve curve;
  std::vector<std::pair<float, bool>> samples;
  for (int i = 0; i < 300; ++i) {
    samples.emplace_back(static_cast<float>(draws.between(0, 20)), draws.uniform() < 0.3);
    curve.add(samples.back().first, samples.back().second);
  }
  double right = 0, pairs = 0;
  for (const auto& [a, clicked] : samples)
    for (const auto& [b, other_clicked] : samples)
      if (clicked && !other_clicked) right += a > b ? 1 : a == b ? 0.5 : 0, ++pairs;
  EXPECT_NEAR(curve.value().value(), right / pairs, 1e-12);
}

TEST(AreaUnderCurve, NeedsSamplesOfBothKinds) {
  AreaUnderCurve curve;
  EXPECT_EQ(curve.value(), std::nullopt);
  curve.add(1, true);
  EXPECT_EQ(curve.value(), std::nullopt);
}

TEST(LogLoss, ByHand) {
  LogLoss loss;
  const double logits[] = {std::log(3.0), -std::log(3.0), 0, 0};  // probabilities 3/4, 1/4, 1/2, 1/2
  const bool clicked[] = {true, false, true, false};
  for (int i = 0; i < 4; ++i) loss.add(logits[i], clicked[i]);
  const double expected = (2 * std::log(4.0 / 3) + 2 * std::log(2.0)) / 4;
  EXPECT_NEAR(loss.mean(), expected, 1e-15);
  EXPECT_EQ(loss.share(), 0.5);
  EXPECT_NEAR(loss.normalised().value(), expected / std::log(2.0), 1e-15);
}

TEST(LogLoss, OfTheShareOfClicksIsTheEntropy) {
  LogLoss loss;
  for (int i = 0; i < 10; ++i) loss.add(std::log(0.3 / 0.7), i < 3);
  EXPECT_NEAR(loss.normalised().value(), 1, 1e-12);
}

TEST(LogLoss, OfExtremeLogits) {
  LogLoss loss;
  loss.add(-1000, true);
  loss.add(1000, true);
  EXPECT_EQ(loss.mean(), 500);
  EXPECT_EQ(loss.normalised(), std::nullopt);
  loss.add(-1e300, false);
  EXPECT_TRUE(std::isfinite(loss.normalised().value()));
}

}  // namespace
}  // namespace weft::ranking
