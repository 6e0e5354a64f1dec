// Type rules of elementwise ops, selections and sources.
#include "type_rule.h"

namespace weft::ir {
namespace {

TEST(TypeRule, OfElementwiseOps) {
  const auto sum = returns([](auto x) { return x[0] + x[1]; });
  EXPECT_EQ(inferred({f32({2, 3}), f32({2, 3})}, sum), std::vector{f32({2, 3})});
  expect_refused(
      ops::add,
      {{"operands must have one type, got tensor<2x3xf32> and tensor<3x2xf32>", {f32({2, 3}), f32({3, 2})}, sum},
       {"operands must have one type", {f32({2}), i32({2})}, sum}});
  expect_refused(ops::tanh, {{"is not defined for i32", {i32({2})}, returns([](auto x) { return tanh(x[0]); })}});
  expect_refused(ops::and_,
                 {{"is not defined for f32", {scalar, scalar}, returns([](auto x) { return and_(x[0], x[1]); })}});
  EXPECT_EQ(inferred({f32({2})}, returns([](auto x) { return is_finite(x[0]); })),
            std::vector{Type(DType::boolean, {2})});
}

TEST(TypeRule, OfCompare) {
  EXPECT_EQ(inferred({i32({2}), i32({2})}, returns([](auto x) { return compare(x[0], x[1], Direction::LT); })),
            std::vector{Type(DType::boolean, {2})});
  const auto with = [](Comparison how) {
    return returns([how](auto x) { return compare(x[0], x[1], Direction::LT, how); });
  };
  expect_refused(ops::compare,
                 {{"compare_type SIGNED does not fit f32", {scalar, scalar}, with(Comparison::SIGNED)},
                  {"compare_type TOTALORDER does not fit i32", {index, index}, with(Comparison::TOTALORDER)},
                  {"compare_type UNSIGNED does not fit i32", {index, index}, with(Comparison::UNSIGNED)},
                  {"one type", {scalar, index}, with(Comparison::NOTYPE)}});
}

TEST(TypeRule, OfConversions) {
  EXPECT_EQ(inferred({f32({2})}, returns([](auto x) { return convert(x[0], DType::i8); })),
            std::vector{Type(DType::i8, {2})});
  expect_refused(
      ops::bitcast_convert,
      {{"the widths differ", {scalar}, returns([](auto x) { return bitcast_convert(x[0], Type(DType::u64, {})); })},
       {"the shapes differ", {scalar}, returns([](auto x) { return bitcast_convert(x[0], i32({1})); })},
       {"is not defined for i1", {Type(DType::u8, {})}, returns([](auto x) {
          return bitcast_convert(x[0], predicate);
        })}});
  expect_refused(ops::reduce_precision, {{"exponent_bits must be at least 1, got 0", {scalar}, returns([](auto x) {
                                            return reduce_precision(x[0], 0, 4);
                                          })},
                                         {"mantissa_bits must not be negative", {scalar}, returns([](auto x) {
                                            return reduce_precision(x[0], 5, -1);
                                          })}});
}

TEST(TypeRule, OfSelectAndClamp) {
  const auto choose = returns([](auto x) { return select(x[0], x[1], x[2]); });
  EXPECT_EQ(inferred({predicate, f32({3}), f32({3})}, choose), std::vector{f32({3})});
  expect_refused(ops::select,
                 {{"the predicate must be i1", {f32({3}), f32({3}), f32({3})}, choose},
                  {"cannot choose between tensor<3xf32> and tensor<2xf32>", {predicate, f32({3}), f32({2})}, choose},
                  {"of the shape of", {Type(DType::boolean, {2}), f32({3}), f32({3})}, choose}});
  const auto clamped = returns([](auto x) { return clamp(x[0], x[1], x[2]); });
  EXPECT_EQ(inferred({scalar, f32({3}), f32({3})}, clamped), std::vector{f32({3})});
  expect_refused(ops::clamp, {{"the bound tensor<i32>", {scalar, f32({3}), index}, clamped},
                              {"the bound tensor<2xf32>", {f32({2}), f32({3}), scalar}, clamped}});
}

TEST(TypeRule, OfSources) {
  expect_refused(ops::iota,
                 {{"iota_dimension 1 is out of range for rank 1",
                   {},
                   [](Graph& g, auto) { return std::vector{iota(g, f32({3}), 1)}; }},
                  {"out of range for rank 0", {}, [](Graph& g, auto) { return std::vector{iota(g, scalar, 0)}; }},
                  {"is not defined for i1", {}, [](Graph& g, auto) {
                     return std::vector{iota(g, Type(DType::boolean, {2}), 0)};
                   }}});
  expect_refused(ops::constant, {{"cannot have 12 bytes", {}, [](Graph& g, auto) {
                                    const std::array<float, 3> data{};
                                    return std::vector{constant(g, Literal{f32({2}), std::as_bytes(std::span(data))})};
                                  }}});
}

}  // namespace
}  // namespace weft::ir
