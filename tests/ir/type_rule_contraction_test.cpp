// Type rules of products and convolutions.
#include "type_rule.h"

namespace weft::ir {
namespace {

TEST(TypeRule, OfDotGeneral) {
  const auto dot = [](Dims lb, Dims rb, Dims lc, Dims rc) {
    return returns([=](auto x) { return dot_general(x[0], x[1], {lb, rb, lc, rc}); });
  };
  EXPECT_EQ(inferred({f32({2, 3, 4}), f32({5, 4, 2})}, dot({0}, {2}, {2}, {1})), std::vector{f32({2, 3, 5})});
  expect_refused(ops::dot_general,
                 {{"contracting dimension 1 of lhs has size 3, dimension 0 of rhs has size 4",
                   {f32({2, 3}), f32({4, 5})},
                   dot({}, {}, {1}, {0})},
                  {"batching dimension 0 of lhs has size 2", {f32({2, 3}), f32({3, 3})}, dot({0}, {0}, {1}, {1})},
                  {"lhs has 1 contracting dimensions, rhs has 0", {f32({2, 3}), f32({3})}, dot({}, {}, {1}, {})},
                  {"lhs_batching_dimensions and lhs_contracting_dimensions share a dimension",
                   {f32({2, 2}), f32({2, 2})},
                   dot({0}, {0}, {0}, {1})},
                  {"operands must have one dtype", {f32({2}), i32({2})}, dot({}, {}, {0}, {0})},
                  {"is not defined for i1", {predicate, predicate}, dot({}, {}, {}, {})}});
  const auto product = [](DType result) {
    return returns([=](auto x) { return dot_general(x[0], x[1], {{}, {}, Dims{0}, Dims{0}}, result); });
  };
  const Type bf16(DType::bf16, {3});
  EXPECT_EQ(inferred({bf16, bf16}, product(DType::f32)), std::vector{scalar});
  EXPECT_EQ(inferred({bf16, bf16}, product(DType::bf16)), std::vector{Type(DType::bf16, {})});
  const Type i4(DType::i4, {3}), i8(DType::i8, {3});
  EXPECT_EQ(inferred({i4, i4}, product(DType::i8)), std::vector{Type(DType::i8, {})});
  expect_refused(ops::dot_general, {{"cannot accumulate i8 in i4", {i8, i8}, product(DType::i4)}});
  expect_refused(ops::dot_general, {{"cannot accumulate f32 in bf16", {f32({3}), f32({3})}, product(DType::bf16)},
                                    {"cannot accumulate f32 in i64", {f32({3}), f32({3})}, product(DType::i64)}});
}

TEST(TypeRule, OfConvolution) {
  const auto convolved = [](auto change) {
    return returns([=](auto x) {
      const Dims spatial{2};
      ConvolutionAttributes a;
      a.input_spatial = a.kernel_spatial = a.output_spatial = spatial;
      change(a);
      return convolution(x[0], x[1], a);
    });
  };
  const auto plain = convolved([](auto&) {});
  static const std::int64_t two[] = {2}, uneven[] = {1, 0}, clash[] = {1};
  EXPECT_EQ(inferred({f32({2, 3, 8}), f32({5, 3, 3})}, plain), std::vector{f32({2, 5, 6})});
  EXPECT_EQ(inferred({f32({2, 3, 8}), f32({5, 3, 3})}, convolved([](auto& a) {
                       a.strides = two;
                       a.padding = uneven;
                     })),
            std::vector{f32({2, 5, 4})});
  EXPECT_EQ(inferred({f32({4, 3, 8}), f32({6, 3, 3})}, convolved([](auto& a) { a.batch_groups = 2; })),
            std::vector{f32({2, 6, 6})});
  expect_refused(
      ops::convolution,
      {{"the input has 4 features, the kernel expects 3 in each of 1 groups", {f32({2, 4, 8}), f32({5, 3, 3})}, plain},
       {"5 output features do not divide into 2 groups", {f32({2, 6, 8}), f32({5, 3, 3})}, convolved([](auto& a) {
          a.feature_groups = 2;
        })},
       {"a batch of 3 does not divide into 2 groups", {f32({3, 3, 8}), f32({6, 3, 3})}, convolved([](auto& a) {
          a.batch_groups = 2;
        })},
       {"cannot both exceed 1", {f32({4, 6, 8}), f32({4, 3, 3})}, convolved([](auto& a) {
          a.batch_groups = a.feature_groups = 2;
        })},
       {"input dimensions [0, 1, 1] names dimension 1 twice", {f32({2, 3, 8}), f32({5, 3, 3})}, convolved([](auto& a) {
          a.input_spatial = clash;
        })},
       {"input and kernel must have one rank", {f32({2, 3, 8}), f32({5, 3})}, plain},
       {"input dimensions has 1 spatial dimensions, but rank 4", {f32({2, 3, 8, 8}), f32({5, 3, 3, 3})}, plain}});
}

}  // namespace
}  // namespace weft::ir
