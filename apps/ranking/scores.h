// How well probabilities of clicks rank and predict samples.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::ranking {

// The area under the ROC curve: the probability that a clicked sample has a higher score than one that is not clicked,
// where equal scores count half. Exact: all scores are kept, 4 bytes for each, and sorted at the end.
class AreaUnderCurve {
 public:
  void add(float score, bool clicked) { (clicked ? clicked_ : others_).push_back(score); }
  // Returns nullopt unless there are samples of both kinds.
  std::optional<double> value();

 private:
  std::vector<float> clicked_, others_;
};

// The mean log loss of logits, and what it is relative to the entropy of the share of clicked samples (normalised
// entropy, He et al. 2014): below 1, the logits predict better than this share does.
class LogLoss {
 public:
  void add(double logit, bool clicked);
  std::int64_t samples() const { return samples_; }
  double mean() const;                       // in nats
  std::optional<double> normalised() const;  // nullopt unless there are samples of both kinds
  double share() const;                      // of clicked samples

 private:
  std::int64_t samples_ = 0, clicked_ = 0;
  double sum_ = 0;
};

}  // namespace weft::ranking
