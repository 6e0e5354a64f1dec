#include <apps/ranking/ranking_evaluation.h>

#include <algorithm>
#include <cmath>

#include <apps/ranking/scores.h>
#include <weft/base/error.h>

namespace weft::ranking {

std::optional<Evaluation> evaluate(BatchReader& batches, std::int64_t most,
                                   const std::function<std::vector<float>(const RankingBatch&)>& logits,
                                   const std::function<bool(const LoadedBatch&)>& loaded) {
  AreaUnderCurve curve, curve_of_rule;
  LogLoss loss;
  bool has_rule = true;
  while (most == 0 || loss.samples() < most) {
    const std::optional<LoadedBatch> batch = batches.next();
    if (!batch) break;
    if (!loaded(*batch)) return std::nullopt;
    const std::vector<float> scores = logits(batch->tensors);
    std::size_t count = batch->clicked.size();
    if (most > 0) count = std::min<std::size_t>(count, most - loss.samples());
    has_rule = has_rule && batch->rule.size() == batch->clicked.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(scores[i])) fail("the logit of held-out sample ", loss.samples(), " is ", scores[i]);
      curve.add(scores[i], batch->clicked[i]);
      loss.add(scores[i], batch->clicked[i]);
      if (has_rule) curve_of_rule.add(static_cast<float>(batch->rule[i]), batch->clicked[i]);
    }
  }
  require(loss.samples() > 0, "the held-out days have no samples");
  return Evaluation{.samples = loss.samples(),
                    .loss = loss.mean(),
                    .click_share = loss.share(),
                    .auc = curve.value(),
                    .auc_of_rule = has_rule ? curve_of_rule.value() : std::nullopt,
                    .normalised_entropy = loss.normalised()};
}

}  // namespace weft::ranking
