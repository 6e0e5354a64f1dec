// Samples whose clicks follow a planted rule, which a model can learn: the probability of a click depends on the
// numbers, on each of the ids, and on pairs of ids. Frequencies of ids follow Zipf's law; some numbers and ids are
// missing.
//
// The rule and each sample are pure functions of the seed (and the sample's day and index), so any part of data of any
// size can be made anywhere.
#pragma once

#include <cstdint>

#include <apps/ranking/criteo.h>

namespace weft::ranking {

class PlantedRule {
 public:
  explicit PlantedRule(std::uint64_t seed) : seed_(seed) {}

  // Returns the probability that this sample is clicked. No model can rank samples better than it does.
  double probability(const CriteoSample& sample) const;

  // Makes a sample.
  CriteoSample sample(std::int64_t day, std::int64_t index) const;

 private:
  double effect(std::uint64_t kind, std::uint64_t of) const;
  std::uint32_t id(std::size_t feature, std::int64_t rank) const;

  std::uint64_t seed_;
};

}  // namespace weft::ranking
