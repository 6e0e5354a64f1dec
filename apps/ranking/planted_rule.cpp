#include <apps/ranking/planted_rule.h>

#include <algorithm>
#include <cmath>

#include <weft/base/draws.h>

namespace weft::ranking {

namespace {

// How many different ids a feature has, how much they matter (the standard deviation of their effects on the logit),
// and how often they are missing.
struct IdFeature {
  std::int64_t ids;
  double effect, missing;
};
constexpr IdFeature id_features[CriteoSample::id_count] = {
    {1000, 0.3, 0},   {500, 0.3, 0},    {2000, 0.1, 0.03}, {1500, 0.1, 0.03}, {300, 0.4, 0}, {24, 0.5, 0.12},
    {1200, 0.2, 0},   {600, 0.3, 0},    {3, 0.5, 0},       {1200, 0.2, 0},    {900, 0.2, 0}, {2000, 0.1, 0.03},
    {800, 0.3, 0},    {27, 0.5, 0},     {1200, 0.2, 0},    {1800, 0.1, 0.03}, {10, 0.5, 0},  {1000, 0.3, 0},
    {900, 0.3, 0.44}, {4, 0.5, 0.44},   {1800, 0.1, 0.03}, {18, 0.5, 0.76},   {15, 0.5, 0},  {1600, 0.1, 0.03},
    {100, 0.4, 0.44}, {1500, 0.1, 0.44}};

// Pairs of features whose ids also matter together.
struct IdPair {
  std::size_t first, second;
  double effect;
};
constexpr IdPair id_pairs[] = {{5, 8, 0.4}, {13, 19, 0.4}, {16, 8, 0.4}};

// log(1 + number) is normally distributed, with this mean and deviation. The logit has `slope` times its distance from
// the mean, in deviations, and `bend` times the square of it.
struct NumberFeature {
  double mean, deviation, slope, bend, missing;
};
constexpr NumberFeature number_features[CriteoSample::number_count] = {
    {1.0, 0.9, 0.3, 0, 0.45},    {2.5, 1.6, 0, 0, 0},        {1.8, 1.2, 0.2, 0, 0.21}, {1.6, 1.0, -0.2, 0, 0.21},
    {7.5, 2.0, -0.2, 0, 0.03},   {3.3, 1.5, 0, -0.15, 0.22}, {1.6, 1.2, 0.2, 0, 0.04}, {2.0, 1.2, 0, 0, 0},
    {3.9, 1.3, 0.1, -0.1, 0.04}, {0.4, 0.5, 0.1, 0, 0.45},   {1.0, 0.8, 0.2, 0, 0.04}, {0.4, 0.6, 0, 0, 0.76},
    {1.7, 1.1, -0.1, 0, 0.21}};

constexpr double base_logit = -1.9;

// Salts: what a number of the rule or of a sample is drawn for.
constexpr std::uint64_t of_pairs = 1000, of_ids = 2000, of_samples = 3000;

}  // namespace

double PlantedRule::effect(std::uint64_t kind, std::uint64_t of) const {
  return Draws(mix(mix(seed_, kind), of)).normal();
}

std::uint32_t PlantedRule::id(std::size_t feature, std::int64_t rank) const {
  return static_cast<std::uint32_t>(mix(mix(seed_, of_ids + feature), static_cast<std::uint64_t>(rank)) >> 32);
}

double PlantedRule::probability(const CriteoSample& sample) const {
  double logit = base_logit;
  for (std::size_t i = 0; i < CriteoSample::number_count; ++i) {
    const auto& [mean, deviation, slope, bend, missing] = number_features[i];
    const double far = (std::log1p(std::max(0, sample.numbers[i].value_or(0))) - mean) / deviation;
    logit += slope * far + bend * (far * far - 1);
  }
  const auto id_of = [&](std::size_t feature) -> std::uint64_t { return sample.ids[feature].value_or(0); };
  for (std::size_t i = 0; i < CriteoSample::id_count; ++i) logit += id_features[i].effect * effect(i, id_of(i));
  for (std::size_t i = 0; i < std::size(id_pairs); ++i)
    logit += id_pairs[i].effect * effect(of_pairs + i, id_of(id_pairs[i].first) << 32 | id_of(id_pairs[i].second));
  return 1 / (1 + std::exp(-logit));
}

CriteoSample PlantedRule::sample(std::int64_t day, std::int64_t index) const {
  Draws draws(mix(mix(mix(seed_, of_samples), static_cast<std::uint64_t>(day)), static_cast<std::uint64_t>(index)));
  CriteoSample sample;
  for (std::size_t i = 0; i < CriteoSample::number_count; ++i) {
    const NumberFeature& feature = number_features[i];
    const bool is_missing = draws.uniform() < feature.missing;
    const double drawn = std::expm1(feature.mean + feature.deviation * draws.normal());
    constexpr double most = 1e9;
    if (!is_missing) sample.numbers[i] = static_cast<std::int32_t>(std::clamp(std::round(drawn), 0.0, most));
  }
  for (std::size_t i = 0; i < CriteoSample::id_count; ++i) {
    const IdFeature& feature = id_features[i];
    const bool is_missing = draws.uniform() < feature.missing;
    // The rank of an id by frequency: P(rank) is proportional to log((rank + 1) / rank), about 1 / rank.
    const auto rank = static_cast<std::int64_t>(std::exp(draws.uniform() * std::log(feature.ids + 1.0)));
    if (!is_missing) sample.ids[i] = id(i, std::min(rank, feature.ids));
  }
  sample.clicked = draws.uniform() < probability(sample);
  return sample;
}

}  // namespace weft::ranking
