#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

// Repeats the heads of keys and values, as the definition says.
Tensor with_repeated_heads(const Tensor& q, const Tensor& k, const Tensor& v, AttentionOptions options) {
  const std::int64_t times = q.size(1) / k.size(1);
  options.enable_gqa = false;
  return scaled_dot_product_attention(q, repeat(k, times, 1), repeat(v, times, 1), options);
}

TEST(GroupedQueryAttention, IsAttentionWithRepeatedHeads) {
  const Tensor k = arbitrary({2, 2, 5, 4}, 1), v = arbitrary({2, 2, 5, 3}, 2);
  for (const std::int64_t queries : {1, 3, 7}) {
    const Tensor q = arbitrary({2, 6, queries, 4});
    const std::vector<AttentionOptions> all = {
        {},
        {.causal = true},
        {.causal = true, .scale = 0.3},
        {.mask = arbitrary({queries, 5}, 3)},
        {.mask = arbitrary({2, 1, queries, 5}, 3) > -0.5},
        {.causal = true, .mask = arbitrary({6, 1, 5}, 3)},
    };
    for (AttentionOptions options : all) {
      options.enable_gqa = true;
      const Tensor expected = with_repeated_heads(q, k, v, options);
      expect_values(scaled_dot_product_attention(q, k, v, options), {2, 6, queries, 3}, expected.to_vector<double>(),
                    1e-12);
      if (queries == 3)
        expect_gradient([&](const auto& xs) { return scaled_dot_product_attention(xs[0], xs[1], xs[2], options); },
                        {q, k, v}, 1e-5);
    }
  }
}

TEST(GroupedQueryAttention, BatchesOfExamplesAndLongSequences) {
  const Tensor q = arbitrary({2, 4, 3, 4}), k = arbitrary({2, 2, 3, 4}, 1);
  const AttentionOptions options{.causal = true, .enable_gqa = true};
  const Tensor each =
      vmap([&](const Tensor& a, const Tensor& b) { return scaled_dot_product_attention(a, b, b, options); })(q, k);
  expect_values(each, {2, 4, 3, 4}, scaled_dot_product_attention(q, k, k, options).to_vector<double>(), 1e-12);
  const Tensor long_q = arbitrary({1, 4, 300, 4}), long_k = arbitrary({1, 1, 300, 4}, 1);
  expect_values(scaled_dot_product_attention(long_q, long_k, long_k, options), {1, 4, 300, 4},
                with_repeated_heads(long_q, long_k, long_k, options).to_vector<double>(), 1e-10);
  const Tensor half = scaled_dot_product_attention(q.to(DType::bf16), k.to(DType::bf16), k.to(DType::bf16), options);
  EXPECT_EQ(half.dtype(), DType::bf16);
  expect_values(half, {2, 4, 3, 4}, scaled_dot_product_attention(q, k, k, options).to_vector<double>(), 0.02);
}

TEST(GroupedQueryAttention, Mistakes) {
  expect_error(
      [] {
        scaled_dot_product_attention(ones({1, 4, 2, 8}), ones({1, 3, 2, 8}), ones({1, 3, 2, 8}), {.enable_gqa = true});
      },
      "scaled_dot_product_attention: the 4 heads of the queries are not a multiple of the 3 heads of the keys and "
      "the 3 of the values");
  expect_error([] { scaled_dot_product_attention(ones({2, 8}), ones({2, 8}), ones({2, 8}), {.enable_gqa = true}); },
               "scaled_dot_product_attention: enable_gqa: expected [..., heads, time, width], got tensor<2x8xf32>, "
               "tensor<2x8xf32>, tensor<2x8xf32>");
  expect_error(
      [] {
        scaled_dot_product_attention(ones({4, 2, 8}), ones({2, 2, 8}), ones({2, 2, 8}),
                                     {.mask = ones({3, 2, 2}), .enable_gqa = true});
      },
      "scaled_dot_product_attention: the mask tensor<3x2x2xf32> does not broadcast to tensor<4x2x2xf32>");
}

}  // namespace
}  // namespace weft
