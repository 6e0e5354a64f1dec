#include <apps/text/sampling.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/hash.h>

namespace weft::text {

std::int64_t sample_token(std::span<const float> logits, const SamplingOptions& options, std::int64_t index) {
  std::vector<std::size_t> order;  // most likely first
  for (std::size_t token = 0; token < logits.size(); ++token)
    if (std::isfinite(logits[token])) order.push_back(token);
  require(!order.empty(), "sample_token: no logit is finite: the training diverged");
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t token) { return logits[token]; });
  if (options.temperature == 0) return order.front();
  if (options.top_k > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(options.top_k)));

  std::vector<double> weights;
  for (const std::size_t token : order)
    weights.push_back(std::exp((static_cast<double>(logits[token]) - logits[order.front()]) / options.temperature));
  const std::uint64_t bits = mix(mix(1, options.seed), index);
  double left = (bits >> 11) * 0x1p-53 * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i)
    if ((left -= weights[i]) < 0) return order[i];
  return order.back();
}

}  // namespace weft::text
