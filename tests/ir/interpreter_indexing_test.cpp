#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <tests/ir/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using I64 = std::int64_t;
using Ns = std::vector<std::int64_t>;

Array from_one(Type type) {
  Array result(type);
  std::iota(result.data<I64>().begin(), result.data<I64>().end(), 1);
  return result;
}

TEST(DynamicSlice, MovesTheWindowInside) {
  const Array x = Array::of<I64>({4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  const Ns sizes{2, 2};
  EXPECT_EQ(evaluate({x, Array::scalar<I64>(-1), Array::scalar<I64>(3)},
                     [&](Graph&, auto in) { return dynamic_slice(in[0], in.subspan(1), sizes); }),
            Array::of<I64>({2, 2}, {1, 1, 1, 1}));
  const Array huge = Array::scalar<std::uint64_t>(~std::uint64_t{0}), zero = Array::scalar<std::uint64_t>(0);
  EXPECT_EQ(evaluate({from_one(Type(DType::i64, {4, 4})), huge, zero},
                     [&](Graph&, auto in) { return dynamic_slice(in[0], in.subspan(1), sizes); }),
            Array::of<I64>({2, 2}, {9, 10, 13, 14}));
}

TEST(DynamicUpdateSlice, MovesTheWindowInside) {
  const Array x = Array::of<I64>({4, 4}, {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}),
              ones = Array::splat(Type(DType::i64, {2, 2}), 1);
  EXPECT_EQ(evaluate({x, ones, Array::scalar<I64>(-1), Array::scalar<I64>(3)},
                     [](Graph&, auto in) { return dynamic_update_slice(in[0], in[1], in.subspan(2)); }),
            Array::splat(x.type(), 1));
}

// The specification's examples of gather and scatter use the same operand and indices.
const Type operand_type(DType::i64, {2, 3, 4, 2});
const Array& example_indices() {
  static const Array indices =
      Array::of<I64>({2, 2, 3, 2}, {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0});
  return indices;
}
const Ns window_dims{3, 4}, dropped{1}, batching{0}, indices_batching{1}, index_map{2, 1}, slice_sizes{1, 1, 2, 2};

TEST(Gather, FollowsTheSpecificationsExample) {
  const GatherAttributes a{window_dims, dropped, batching, indices_batching, index_map, 3, slice_sizes, false};
  EXPECT_EQ(
      evaluate({from_one(operand_type), example_indices()}, [&](Graph&, auto in) { return gather(in[0], in[1], a); }),
      Array::of<I64>({2, 2, 3, 2, 2},
                     {1, 2, 3, 4, 3,  4,  5,  6,  13, 14, 15, 16, 33, 34, 35, 36, 35, 36, 37, 38, 41, 42, 43, 44,
                      1, 2, 3, 4, 13, 14, 15, 16, 21, 22, 23, 24, 43, 44, 45, 46, 33, 34, 35, 36, 27, 28, 29, 30}));
}

TEST(Scatter, FollowsTheSpecificationsExample) {
  const ScatterAttributes a{window_dims, dropped, batching, indices_batching, index_map, 3, false, false};
  const Array updates = Array::splat(Type(DType::i64, {2, 2, 3, 2, 2}), 1);
  EXPECT_EQ(
      evaluate({from_one(operand_type), example_indices(), updates},
               [&](Graph&, auto in) { return scatter(in[0], in[1], in[2], a, reduction_body(ops::add, DType::i64)); }),
      Array::of<I64>({2, 3, 4, 2},
                     {3,  4,  6,  7,  6,  7,  7,  8,  9,  10, 11, 12, 15, 16, 17, 18, 17, 18, 19, 20, 22, 23, 24, 25,
                      25, 26, 28, 29, 30, 31, 31, 32, 35, 36, 38, 39, 38, 39, 39, 40, 41, 42, 44, 45, 46, 47, 47, 48}));
}

// Gathers rows of a table, like an embedding.
const Ns offset_dims{1}, first{0};
GatherAttributes rows(const Ns& sizes) { return {offset_dims, first, {}, {}, first, 1, sizes, false}; }
ScatterAttributes into_rows() { return {offset_dims, first, {}, {}, first, 1, false, false}; }

TEST(Gather, ClampsWhereScatterSkips) {
  const Array table = from_one(Type(DType::i64, {3, 2})), at = Array::of<std::int32_t>({4}, {2, -5, 7, 0});
  EXPECT_EQ(evaluate({table, at}, [](Graph&, auto in) { return gather(in[0], in[1], rows({1, 2})); }),
            Array::of<I64>({4, 2}, {5, 6, 1, 2, 5, 6, 1, 2}));
  const Array updates = Array::of<I64>({4, 2}, {10, 20, 30, 40, 50, 60, 70, 80});
  EXPECT_EQ(evaluate({table, at, updates},
                     [](Graph&, auto in) {
                       return scatter(in[0], in[1], in[2], into_rows(), reduction_body(ops::add, DType::i64));
                     }),
            Array::of<I64>({3, 2}, {71, 82, 3, 4, 15, 26}));
}

TEST(Gather, TakesNothing) {
  const Array table = from_one(Type(DType::i64, {3, 2}));
  EXPECT_EQ(evaluate({table, Array(Type(DType::i32, {0}))},
                     [](Graph&, auto in) { return gather(in[0], in[1], rows({1, 2})); })
                .type(),
            Type(DType::i64, {0, 2}));
  EXPECT_EQ(evaluate({Array(Type(DType::i64, {3, 0})), Array(Type(DType::i32, {2}))},
                     [](Graph&, auto in) { return gather(in[0], in[1], rows({1, 0})); }),
            Array(Type(DType::i64, {2, 0})));
}

TEST(Scatter, AppliesUpdatesInRowMajorOrder) {
  const Type scalar(DType::i64, {});
  const auto append_digit =
      make_graph(std::vector{scalar, scalar}, [](Graph&, auto in) { return std::vector{in[0] * 10 + in[1]}; });
  const Array x(Type(DType::i64, {3})), at = Array::of<I64>({5, 1}, {1, 0, 1, 1, 0}),
                                        updates = Array::of<I64>({5}, {1, 2, 3, 4, 5});
  const ScatterAttributes a{{}, first, {}, {}, first, 1, false, false};
  EXPECT_EQ(evaluate({x, at, updates}, [&](Graph&, auto in) { return scatter(in[0], in[1], in[2], a, append_digit); }),
            Array::of<I64>({3}, {25, 134, 0}));
  // The windows have size 2 along dimension 0 of the updates. In row-major order, the first elements of both windows come before
  // the second ones.
  const ScatterAttributes windows{first, {}, {}, {}, first, 1, false, false};
  EXPECT_EQ(evaluate({x, Array::of<I64>({2, 1}, {0, 1}), Array::of<I64>({2, 2}, {1, 2, 3, 4})},
                     [&](Graph&, auto in) { return scatter(in[0], in[1], in[2], windows, append_digit); }),
            Array::of<I64>({3}, {1, 23, 4}));
}

TEST(Scatter, KeepsThePartOfAWindowThatIsInside) {
  const ScatterAttributes windows{offset_dims, {}, {}, {}, first, 1, false, false};
  const Array at = Array::of<I64>({3, 1}, {2, -1, std::numeric_limits<I64>::max()}),
              updates = Array::of<I64>({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(evaluate({Array(Type(DType::i64, {3})), at, updates},
                     [&](Graph&, auto in) {
                       return scatter(in[0], in[1], in[2], windows, reduction_body(ops::add, DType::i64));
                     }),
            Array::of<I64>({3}, {4, 0, 1}));
}

TEST(Scatter, AddsFloatsInDouble) {
  const Array at(Type(DType::i32, {1000, 1})), updates = Array::splat(Type(DType::bf16, {1000}), 1);
  const ScatterAttributes a{{}, first, {}, {}, first, 1, false, false};
  EXPECT_EQ(
      evaluate({Array(Type(DType::bf16, {2})), at, updates},
               [&](Graph&, auto in) { return scatter(in[0], in[1], in[2], a, reduction_body(ops::add, DType::bf16)); }),
      Array::of<bfloat16>({2}, {1000, 0}));
}

std::shared_ptr<const Graph> comparator(DType key, DType value, Direction direction) {
  const Type k(key, {}), v(value, {});
  return make_graph(std::vector{k, k, v, v},
                    [&](Graph&, auto in) { return std::vector{compare(in[0], in[1], direction)}; });
}

TEST(Sort, FollowsTheSpecificationsExample) {
  const auto sorted = evaluate_all(
      {Array::of<I64>({2, 3}, {1, 2, 3, 3, 2, 1}), Array::of<I64>({2, 3}, {3, 2, 1, 1, 2, 3})},
      [](Graph&, auto in) { return sort(in, 0, true, comparator(DType::i64, DType::i64, Direction::GT)); });
  EXPECT_EQ(sorted[0], Array::of<I64>({2, 3}, {3, 2, 3, 1, 2, 1}));
  EXPECT_EQ(sorted[1], Array::of<I64>({2, 3}, {1, 2, 1, 3, 2, 3}));
}

TEST(Sort, IsStableAlongAnyDimension) {
  std::mt19937 random(5);
  Array keys(Type(DType::i8, {3, 50, 2}));
  for (std::int8_t& k : keys.data<std::int8_t>()) k = static_cast<std::int8_t>(random() % 7);
  const auto sorted = evaluate_all({keys}, [](Graph& g, auto in) {
    return sort(std::vector{in[0], iota(g, Type(DType::i32, {3, 50, 2}), 1)}, -2, true,
                comparator(DType::i8, DType::i32, Direction::LT));
  });
  const auto key = sorted[0].data<std::int8_t>();
  const auto from = sorted[1].data<std::int32_t>();
  for (std::size_t o = 0; o < 3; ++o)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 50; ++j) {
        const std::size_t at = (o * 50 + j) * 2 + i;
        EXPECT_EQ(key[at], keys.data<std::int8_t>()[(o * 50 + static_cast<std::size_t>(from[at])) * 2 + i]);
        EXPECT_TRUE(j == 0 || key[at - 2] < key[at] || (key[at - 2] == key[at] && from[at - 2] < from[at]));
      }
}

TEST(Sort, TakesNothingAndOne) {
  const auto sorted = [](Type type) {
    return evaluate_all({Array(type), Array(type)}, [](Graph&, auto in) {
      return sort(in, 0, false, comparator(DType::i64, DType::i64, Direction::LT));
    })[0];
  };
  EXPECT_EQ(sorted(Type(DType::i64, {0, 3})).size(), 0);
  EXPECT_EQ(sorted(Type(DType::i64, {3, 0})).size(), 0);
  EXPECT_EQ(sorted(Type(DType::i64, {1})), Array(Type(DType::i64, {1})));
}

std::shared_ptr<const Graph> keep_greatest() {
  const Type scalar(DType::i64, {});
  return make_graph(std::vector{scalar, scalar},
                    [](Graph&, auto in) { return std::vector{compare(in[0], in[1], Direction::GE)}; });
}

Array selected_and_scattered(const Array& x, const Array& source, const SelectAndScatterAttributes& a) {
  return evaluate({x, source, Array::scalar<I64>(0)}, [&](Graph&, auto in) {
    return select_and_scatter(in[0], in[1], in[2], a, keep_greatest(), reduction_body(ops::add, DType::i64));
  });
}

TEST(SelectAndScatter, FollowsTheSpecificationsExample) {
  const Ns size{3, 1}, strides{2, 1}, padding{0, 1, 0, 0};
  EXPECT_EQ(selected_and_scattered(Array::of<I64>({4, 2}, {1, 5, 2, 5, 3, 6, 4, 4}),
                                   Array::of<I64>({2, 2}, {5, 6, 7, 8}), {size, strides, padding}),
            Array::of<I64>({4, 2}, {0, 0, 0, 0, 5, 14, 7, 0}));
}

TEST(SelectAndScatter, DropsTheSourceOfAWindowOfPadding) {
  const Ns size{2}, strides{2}, padding{2, 0};
  EXPECT_EQ(
      selected_and_scattered(Array::of<I64>({2}, {-7, -9}), Array::of<I64>({2}, {5, 6}), {size, strides, padding}),
      Array::of<I64>({2}, {6, 0}));
}

}  // namespace
}  // namespace weft::ir
