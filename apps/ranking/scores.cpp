#include <apps/ranking/scores.h>

#include <algorithm>
#include <cmath>

namespace weft::ranking {

std::optional<double> AreaUnderCurve::value() {
  if (clicked_.empty() || others_.empty()) return std::nullopt;
  std::ranges::sort(clicked_);
  std::ranges::sort(others_);
  // For each clicked sample, twice the number of others below it and once that of its equals.
  double pairs = 0;
  std::size_t below = 0, up_to = 0;
  for (const float score : clicked_) {
    while (below < others_.size() && others_[below] < score) ++below;
    while (up_to < others_.size() && others_[up_to] <= score) ++up_to;
    pairs += static_cast<double>(below + up_to);
  }
  return pairs / 2 / static_cast<double>(clicked_.size()) / static_cast<double>(others_.size());
}

void LogLoss::add(double logit, bool clicked) {
  // -log(sigmoid(x)) for a clicked sample and -log(sigmoid(-x)) for others, without overflow.
  const double wrong = clicked ? -logit : logit;
  sum_ += std::max(wrong, 0.0) + std::log1p(std::exp(-std::abs(wrong)));
  ++samples_;
  clicked_ += clicked;
}

double LogLoss::mean() const { return samples_ > 0 ? sum_ / static_cast<double>(samples_) : 0; }

double LogLoss::share() const {
  return samples_ > 0 ? static_cast<double>(clicked_) / static_cast<double>(samples_) : 0;
}

std::optional<double> LogLoss::normalised() const {
  if (clicked_ == 0 || clicked_ == samples_) return std::nullopt;
  const double p = share();
  return mean() / -(p * std::log(p) + (1 - p) * std::log1p(-p));
}

}  // namespace weft::ranking
