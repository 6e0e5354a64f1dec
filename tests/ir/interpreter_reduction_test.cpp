#include <limits>
#include <random>
#include <tests/ir/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using I32 = std::int32_t;
using Ns = std::vector<std::int64_t>;

Array summed(const Array& x, const Ns& dimensions) {
  return evaluate({x}, [&](Graph&, auto in) { return reduce_sum(in[0], dimensions); });
}

TEST(Reduce, FoldsAlongDimensions) {
  const Array x = Array::of<I32>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(summed(x, {1}), Array::of<I32>({2}, {6, 15}));
  EXPECT_EQ(summed(x, {0}), Array::of<I32>({3}, {5, 7, 9}));
  EXPECT_EQ(summed(x, {0, 1}), Array::scalar<I32>(21));
  EXPECT_EQ(summed(x, {}), x);
  EXPECT_EQ(evaluate({x}, [](Graph&, auto in) { return reduce_max(in[0], Ns{0}); }), Array::of<I32>({3}, {4, 5, 6}));
  EXPECT_EQ(evaluate({x}, [](Graph&, auto in) { return reduce_product(in[0], Ns{1}); }), Array::of<I32>({2}, {6, 120}));
}

TEST(Reduce, OfNothingIsTheInitialValue) {
  EXPECT_EQ(summed(Array(Type(DType::f32, {2, 0})), {1}), Array::of<float>({2}, {0, 0}));
  EXPECT_EQ(evaluate({Array(Type(DType::f32, {0}))}, [](Graph&, auto in) { return reduce_max(in[0], Ns{0}); }),
            Array::scalar<float>(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(summed(Array(Type(DType::f32, {0, 2})), {1}).size(), 0);
}

TEST(Reduce, SumsFloatsStepByStepWhereAskedTo) {
  const Type type(DType::bf16, {1024});
  const auto graph = make_graph(std::span(&type, 1),
                                [](Graph&, std::span<const Value> x) { return std::vector{reduce_sum(x[0], Ns{0})}; });
  const std::vector inputs{Array::splat(type, 1)};
  EXPECT_EQ(interpret(*graph, inputs)[0], Array::scalar<bfloat16>(1024));
  EXPECT_EQ(interpret(*graph, inputs, {Accumulation::element})[0], Array::scalar<bfloat16>(256));
}

TEST(Reduce, SumsFloatsInDouble) {
  // In bfloat16, the sum would stop growing at 256.
  const Array ones = Array::splat(Type(DType::bf16, {1000}), 1);
  EXPECT_EQ(summed(ones, {0}), Array::scalar<bfloat16>(1000));
  EXPECT_EQ(summed(Array::of<float>({4}, {1e8, 1, 1, -1e8}), {0}), Array::scalar<float>(2));
}

TEST(Reduce, AppliesAGeneralBodyInOrder) {
  // acc * 2 + x in i32, and an argmax of two operands.
  const std::vector<Type> two(2, Type(DType::i32, {}));
  const auto horner = make_graph(two, [](Graph&, auto in) { return std::vector{in[0] * 2 + in[1]}; });
  EXPECT_EQ(evaluate({Array::of<I32>({2, 3}, {1, 0, 1, 1, 1, 0}), Array::scalar<I32>(0)},
                     [&](Graph&, auto in) { return ir::reduce(in.first(1), in.subspan(1), Ns{1}, horner)[0]; }),
            Array::of<I32>({2}, {5, 6}));

  const Type value(DType::f32, {}), index(DType::i32, {});
  const auto arg_max = make_graph(std::vector{value, index, value, index}, [](Graph&, auto in) {
    const Value keep = compare(in[0], in[2], Direction::GE);
    return std::vector{select(keep, in[0], in[2]), select(keep, in[1], in[3])};
  });
  const auto results =
      evaluate_all({Array::of<float>({2, 3}, {1, 5, 5, 9, 2, 3}), Array::of<I32>({2, 3}, {0, 1, 2, 0, 1, 2}),
                    Array::scalar<float>(-1e30), Array::scalar<I32>(-1)},
                   [&](Graph&, auto in) { return ir::reduce(in.first(2), in.subspan(2), Ns{1}, arg_max); });
  EXPECT_EQ(results[0], Array::of<float>({2}, {5, 9}));
  EXPECT_EQ(results[1], Array::of<I32>({2}, {1, 0}));
}

TEST(Reduce, RunsABodyThatIsMoreThanElementwise) {
  const Type scalar(DType::i32, {});
  const auto add_if_even = make_graph(std::vector{scalar, scalar}, [&](Graph&, auto in) {
    const auto sum = make_graph(std::vector{scalar, scalar}, [](Graph&, auto v) { return std::vector{v[0] + v[1]}; });
    const auto same = make_graph(std::vector{scalar, scalar}, [](Graph&, auto v) { return std::vector{v[0]}; });
    const Value odd = compare(remainder(in[1], constant_like(in[1], 2)), constant_like(in[1], 0), Direction::NE);
    return if_(odd, in, same, sum);
  });
  EXPECT_EQ(evaluate({Array::of<I32>({2, 3}, {1, 2, 3, 4, 5, 6}), Array::scalar<I32>(100)},
                     [&](Graph&, auto in) { return ir::reduce(in.first(1), in.subspan(1), Ns{1}, add_if_even)[0]; }),
            Array::of<I32>({2}, {102, 110}));
}

Array windowed(const Array& x, const Array& init, const ReduceWindowAttributes& window, const Op& op) {
  return evaluate({x, init},
                  [&](Graph&, auto in) { return reduce_window(in[0], in[1], window, reduction_body(op, x.dtype())); });
}

TEST(ReduceWindow, FollowsTheSpecificationsExample) {
  const Ns size{2, 1}, strides{4, 1}, base{2, 1}, dilation{3, 1}, padding{2, 1, 0, 0};
  EXPECT_EQ(windowed(Array::of<I32>({3, 2}, {1, 2, 3, 4, 5, 6}), Array::scalar<I32>(0),
                     {size, strides, base, dilation, padding}, ops::add),
            Array::of<I32>({2, 2}, {0, 0, 3, 4}));
}

TEST(ReduceWindow, MeansTheSumOverEachWindow) {
  std::mt19937 random(3);
  Array x(Type(DType::i64, {7}));
  for (std::int64_t& v : x.data<std::int64_t>()) v = static_cast<std::int64_t>(random() % 1000);
  for (const std::int64_t size : {1, 2, 3})
    for (const std::int64_t stride : {1, 2})
      for (const std::int64_t base : {1, 3})
        for (const std::int64_t dilation : {1, 2})
          for (const std::int64_t low : {-1, 0, 2}) {
            const Ns n{size}, s{stride}, b{base}, d{dilation}, p{low, 1};
            const Array y = windowed(x, Array::scalar<std::int64_t>(0), {n, s, b, d, p}, ops::add);
            for (std::int64_t o = 0; o < y.size(); ++o) {
              std::int64_t sum = 0;
              for (std::int64_t w = 0; w < size; ++w) {
                const std::int64_t at = o * stride + w * dilation - low;
                if (at >= 0 && at % base == 0 && at / base < 7) sum += x.data<std::int64_t>()[at / base];
              }
              EXPECT_EQ(y.data<std::int64_t>()[o], sum)
                  << size << ' ' << stride << ' ' << base << ' ' << dilation << ' ' << low;
            }
          }
}

TEST(ReduceWindow, FoldsTheInitialValueIntoPadding) {
  const Ns size{3}, padding{1, 1};
  EXPECT_EQ(windowed(Array::of<I32>({2}, {10, 20}), Array::scalar<I32>(1), {size, {}, {}, {}, padding}, ops::add),
            Array::of<I32>({2}, {32, 32}));  // 1 + (1 + 10 + 20), 1 + (10 + 20 + 1)
  EXPECT_EQ(windowed(Array(Type(DType::i32, {0})), Array::scalar<I32>(1), {size, {}, {}, {}, {}}, ops::maximum).size(),
            0);
}

}  // namespace
}  // namespace weft::ir
