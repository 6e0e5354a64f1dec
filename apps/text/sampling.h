// Choosing the next token from a model's logits.
#pragma once

#include <cstdint>
#include <span>

namespace weft::text {

struct SamplingOptions {
  double temperature = 0.8;  // 0: the likeliest token, the first of equals
  std::int64_t top_k = 40;   // choose among so many likeliest tokens; 0: all
  std::uint64_t seed = 0;
};

// A token drawn from softmax(logits / temperature); a pure function of its arguments, `index` being the token's place in the text.
// Throws Error if no logit is finite.
std::int64_t sample_token(std::span<const float> logits, const SamplingOptions& options, std::int64_t index);

}  // namespace weft::text
