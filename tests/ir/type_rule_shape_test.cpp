// Type rules of the ops that move elements.
#include "type_rule.h"

namespace weft::ir {
namespace {

TEST(TypeRule, OfBroadcastReshapeAndTranspose) {
  const auto wide = [](Type to, Dims dims) {
    return returns([=](auto x) { return broadcast_in_dim(x[0], to, dims); });
  };
  EXPECT_EQ(inferred({f32({1, 3})}, wide(f32({2, 3}), {0, 1})), std::vector{f32({2, 3})});
  expect_refused(
      ops::broadcast_in_dim,
      {{"dimension 0 of size 2 cannot become dimension 1 of tensor<2x3xf32>", {f32({2})}, wide(f32({2, 3}), {1})},
       {"broadcast_dimensions [0, 0] names dimension 0 twice", {f32({2, 2})}, wide(f32({2, 3}), {0, 0})},
       {"broadcast_dimensions 2 is out of range for rank 2", {f32({2})}, wide(f32({2, 3}), {2})},
       {"broadcast_dimensions [] needs 1 entries", {f32({2})}, wide(f32({2, 3}), {})},
       {"the dtypes differ", {f32({2})}, wide(i32({2, 3}), {0})}});
  expect_refused(ops::reshape, {{"cannot produce tensor<5xf32>: the numbers of elements differ",
                                 {f32({2, 3})},
                                 returns([](auto x) { return reshape(x[0], {5}); })}});
  const auto turned = [](Dims p) { return returns([=](auto x) { return transpose(x[0], p); }); };
  EXPECT_EQ(inferred({f32({2, 3, 4})}, turned({2, 0, 1})), std::vector{f32({4, 2, 3})});
  expect_refused(ops::transpose, {{"permutation [0] needs 2 entries", {f32({2, 3})}, turned({0})},
                                  {"permutation [1, 1] names dimension 1 twice", {f32({2, 3})}, turned({1, 1})}});
}

TEST(TypeRule, OfSlicePadConcatenateReverse) {
  const auto cut = [](Dims start, Dims limit, Dims strides) {
    return returns([=](auto x) { return slice(x[0], start, limit, strides); });
  };
  EXPECT_EQ(inferred({f32({7, 4})}, cut({1, 0}, {7, 0}, {4, 1})), std::vector{f32({2, 0})});
  expect_refused(ops::slice, {{"[2, 8) is not inside dimension 0 of size 7", {f32({7})}, cut({2}, {8}, {1})},
                              {"[-1, 3) is not inside", {f32({7})}, cut({-1}, {3}, {1})},
                              {"[4, 3) is not inside", {f32({7})}, cut({4}, {3}, {1})},
                              {"the stride of dimension 0 must be at least 1, got 0", {f32({7})}, cut({0}, {3}, {0})},
                              {"limit_indices [3, 3] needs 1 entries", {f32({7})}, cut({0}, {3, 3}, {1})}});
  const auto padded = [](Dims low, Dims high, Dims interior) {
    return returns([=](auto x) { return pad(x[0], x[1], low, high, interior); });
  };
  EXPECT_EQ(inferred({f32({4}), scalar}, padded({-1}, {2}, {3})), std::vector{f32({14})});
  EXPECT_EQ(inferred({f32({0}), scalar}, padded({1}, {0}, {3})), std::vector{f32({1})});
  expect_refused(
      ops::pad, {{"dimension 0 would have -1 elements", {f32({2}), scalar}, padded({-3}, {0}, {0})},
                 {"must not be negative, got -1", {f32({2}), scalar}, padded({0}, {0}, {-1})},
                 {"the padding of dimension 0 is too large", {f32({4}), scalar}, padded({0}, {0}, {1LL << 62})},
                 {"the padding of dimension 0 is too large", {f32({4}), scalar}, padded({1LL << 62}, {1LL << 62}, {0})},
                 {"the padding value must be of rank 0 and f32", {f32({2}), index}, padded({0}, {0}, {0})}});
  const auto joined = [](std::int64_t d) { return returns([=](auto x) { return concatenate(x, d); }); };
  EXPECT_EQ(inferred({f32({2, 3}), f32({2, 0}), f32({2, 1})}, joined(1)), std::vector{f32({2, 4})});
  expect_refused(ops::concatenate, {{"operand 1 is tensor<3x3xf32>, which differs from tensor<2x3xf32> in dimension 0",
                                     {f32({2, 3}), f32({3, 3})},
                                     joined(1)},
                                    {"which does not fit", {f32({2, 3}), f32({2})}, joined(0)},
                                    {"dimension 2 is out of range", {f32({2, 3})}, joined(2)}});
  expect_refused(ops::reverse, {{"dimensions 1 is out of range for rank 1", {f32({2})}, returns([](auto x) {
                                   return reverse(x[0], Dims{1});
                                 })}});
}

}  // namespace
}  // namespace weft::ir
