// How well a model ranks the samples of held-out days.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <apps/ranking/batches.h>

namespace weft::ranking {

struct Evaluation {
  std::int64_t samples = 0;
  double loss = 0;         // mean log loss in nats
  double click_share = 0;  // of the samples
  // nullopt unless there are samples of both kinds; auc_of_rule also if the rule is not known.
  std::optional<double> auc, auc_of_rule, normalised_entropy;
};

// Evaluates up to `most` samples; 0: all of them. `logits` computes those of a batch, and `loaded` is told of each
// batch; it returns false to stop, and then the result is nullopt. Throws Error if there are no samples, or for a logit
// that is not finite.
std::optional<Evaluation> evaluate(BatchReader& batches, std::int64_t most,
                                   const std::function<std::vector<float>(const RankingBatch&)>& logits,
                                   const std::function<bool(const LoadedBatch&)>& loaded);

}  // namespace weft::ranking
