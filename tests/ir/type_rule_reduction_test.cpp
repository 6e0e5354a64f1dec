// Type rules of reductions, windows and sorts.
#include "type_rule.h"

namespace weft::ir {
namespace {

TEST(TypeRule, OfReduce) {
  const auto sum = [](Dims dims, DType dtype) {
    return [=](Graph&, std::span<const Value> x) {
      return ir::reduce(x.first(1), x.subspan(1), dims, reduction_body(ops::add, dtype));
    };
  };
  EXPECT_EQ(inferred({f32({2, 3, 4}), scalar}, sum({2, 0}, DType::f32)), std::vector{f32({3})});
  expect_refused(
      ops::reduce,
      {{"dimensions 3 is out of range", {f32({2, 3, 4}), scalar}, sum({3}, DType::f32)},
       {"initial value 0 must be of rank 0 and f32, got tensor<i32>", {f32({2}), index}, sum({0}, DType::f32)},
       {"as many initial values as operands", {f32({2}), scalar, scalar}, sum({0}, DType::f32)},
       {"region 0 takes [tensor<i32>, tensor<i32>], expected [tensor<f32>, tensor<f32>]",
        {f32({2}), scalar},
        sum({0}, DType::i32)}});
  expect_refused(ops::reduce, {{"operands must have one shape, got tensor<2xf32> and tensor<3xf32>",
                                {f32({2}), f32({3}), scalar, scalar},
                                [](Graph&, auto x) {
                                  return ir::reduce(x.first(2), x.last(2), Dims{0},
                                                    reduction_body(ops::add, DType::f32));
                                }}});
}

TEST(TypeRule, OfReducingManyOperands) {
  const std::vector<Type> scalars(20, scalar);
  std::vector<Type> inputs(20, scalar);
  std::fill_n(inputs.begin(), 10, f32({2, 3}));
  const auto body = make_graph(scalars, [](Graph&, auto x) { return std::vector(x.begin(), x.begin() + 10); });
  EXPECT_EQ(inferred(inputs, [&](Graph&, auto x) { return ir::reduce(x.first(10), x.last(10), Dims{1}, body); }),
            std::vector(10, f32({2})));
}

TEST(TypeRule, OfWindows) {
  const auto windows = [](Dims size, Dims strides, Dims base, Dims dilations, Dims padding) {
    return returns([=](auto x) {
      return reduce_window(x[0], x[1], {size, strides, base, dilations, padding}, reduction_body(ops::add, DType::f32));
    });
  };
  EXPECT_EQ(inferred({f32({7}), scalar}, windows({3}, {2}, {}, {}, {})), std::vector{f32({3})});
  EXPECT_EQ(inferred({f32({4}), scalar}, windows({3}, {}, {2}, {2}, {1, 0})), std::vector{f32({4})});
  EXPECT_EQ(inferred({f32({2}), scalar}, windows({3}, {}, {}, {}, {})), std::vector{f32({0})});
  expect_refused(
      ops::reduce_window,
      {{"window_dimensions [3] needs 2 entries", {f32({2, 2}), scalar}, windows({3}, {}, {}, {}, {})},
       {"padding [1] needs 2 entries", {f32({2}), scalar}, windows({3}, {}, {}, {}, {1})},
       {"at least 1 element in dimension 0, got 0", {f32({2}), scalar}, windows({0}, {}, {}, {}, {})},
       {"the padding or a dilation of dimension 0 is too large",
        {f32({4}), scalar},
        windows({2}, {}, {1LL << 62}, {}, {})},
       {"strides and dilations of dimension 0 must be at least 1", {f32({2}), scalar}, windows({1}, {0}, {}, {}, {})}});
  const auto spread = returns([](auto x) {
    return select_and_scatter(x[0], x[1], x[2], {Dims{2}, Dims{2}, {}}, comparison_body(Direction::GE, DType::f32),
                              reduction_body(ops::add, DType::f32));
  });
  EXPECT_EQ(inferred({f32({6}), f32({3}), scalar}, spread), std::vector{f32({6})});
  expect_refused(
      ops::select_and_scatter,
      {{"dimension 0 of the source has size 4, the window has 3 positions", {f32({6}), f32({4}), scalar}, spread},
       {"the initial value must be of rank 0", {f32({6}), f32({3}), f32({1})}, spread}});
}

TEST(TypeRule, OfSort) {
  const auto sorted = [](std::int64_t d) {
    return [=](Graph&, std::span<const Value> x) {
      return ir::sort(x, d, true, comparison_body(Direction::LT, DType::f32));
    };
  };
  EXPECT_EQ(inferred({f32({2, 3})}, sorted(-2)), std::vector{f32({2, 3})});
  expect_refused(
      ops::sort,
      {{"dimension 2 is out of range for rank 2", {f32({2, 3})}, sorted(2)},
       {"dimension -3 is out of range", {f32({2, 3})}, sorted(-3)},
       {"operands must have one shape", {f32({2}), f32({3})}, sorted(0)},
       {"region 0 takes [tensor<f32>, tensor<f32>], expected [tensor<i32>, tensor<i32>]", {i32({2})}, sorted(0)}});
}

}  // namespace
}  // namespace weft::ir
