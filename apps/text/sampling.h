// Chooses the next token from a model's logits.
#pragma once

#include <cstdint>
#include <span>

namespace weft::text {

struct SamplingOptions {
  double temperature = 0.8;  // 0: the most likely token, the first among equals
  std::int64_t top_k = 40;   // choose among this many most likely tokens; 0: among all
  std::uint64_t seed = 0;
};

// Returns a token drawn from softmax(logits / temperature). The result depends only on the arguments; `index` is the position of
// the token in the text. Throws Error if no logit is finite.
std::int64_t sample_token(std::span<const float> logits, const SamplingOptions& options, std::int64_t index);

}  // namespace weft::text
