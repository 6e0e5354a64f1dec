#include <tests/ir/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::ir {
namespace {

using I32 = std::int32_t;

Array counted(std::initializer_list<Dim> dims) {
  return evaluate({}, [&](Graph& g, auto) {
    std::int64_t size = 1;
    for (const Dim d : dims) size *= d.value();
    return reshape(iota(g, Type(DType::i32, {size}), 0), dims);
  });
}

TEST(Shape, IotaCountsAlongItsDimension) {
  const auto counting = [](Type type, std::int64_t dimension) {
    return evaluate({}, [&](Graph& g, auto) { return iota(g, type, dimension); });
  };
  EXPECT_EQ(counting(Type(DType::i32, {2, 3}), 0), Array::of<I32>({2, 3}, {0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(counting(Type(DType::bf16, {2, 3}), 1), Array::of<bfloat16>({2, 3}, {0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(counting(Type(DType::i8, {200}), 0).element(199), -57);
  EXPECT_EQ(counting(Type(DType::bf16, {300}), 0).element(257), 256);
  EXPECT_EQ(counting(Type(DType::f32, {0, 3}), 1).size(), 0);
}

TEST(Shape, BroadcastInDim) {
  const auto broadcasted = [](const Array& x, Type type, std::vector<std::int64_t> dimensions) {
    return evaluate({x}, [&](Graph&, auto in) { return broadcast_in_dim(in[0], type, dimensions); });
  };
  EXPECT_EQ(broadcasted(Array::of<I32>({1, 3}, {1, 2, 3}), Type(DType::i32, {2, 3, 2}), {2, 1}),
            Array::of<I32>({2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(broadcasted(Array::scalar<I32>(7), Type(DType::i32, {2, 2}), {}), Array::of<I32>({2, 2}, {7, 7, 7, 7}));
  EXPECT_EQ(broadcasted(Array::of<I32>({1}, {7}), Type(DType::i32, {0}), {0}).size(), 0);
}

TEST(Shape, Transpose) {
  const auto transposed = [](const Array& x, std::vector<std::int64_t> permutation) {
    return evaluate({x}, [&](Graph&, auto in) { return transpose(in[0], permutation); });
  };
  EXPECT_EQ(transposed(Array::of<I32>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), {2, 1, 0}),
            Array::of<I32>({2, 3, 2}, {1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12}));
  const Array x = counted({2, 3, 4});
  EXPECT_EQ(transposed(x, {2, 0, 1}).type(), Type(DType::i32, {4, 2, 3}));
  EXPECT_EQ(transposed(transposed(x, {2, 0, 1}), {1, 2, 0}), x);
  EXPECT_EQ(transposed(Array::scalar<I32>(3), {}), Array::scalar<I32>(3));
}

TEST(Shape, Slice) {
  const auto sliced = [](const Array& x, std::vector<std::int64_t> start, std::vector<std::int64_t> limit,
                         std::vector<std::int64_t> strides) {
    return evaluate({x}, [&](Graph&, auto in) { return slice(in[0], start, limit, strides); });
  };
  EXPECT_EQ(sliced(counted({3, 4}), {1, 2}, {3, 4}, {1, 1}), Array::of<I32>({2, 2}, {6, 7, 10, 11}));
  EXPECT_EQ(sliced(counted({3, 4}), {0, 1}, {3, 4}, {2, 2}), Array::of<I32>({2, 2}, {1, 3, 9, 11}));
  EXPECT_EQ(sliced(counted({3, 4}), {3, 0}, {3, 4}, {1, 1}).size(), 0);
}

TEST(Shape, Pad) {
  const auto padded = [](const Array& x, std::vector<std::int64_t> low, std::vector<std::int64_t> high,
                         std::vector<std::int64_t> interior) {
    return evaluate({x, Array::scalar<I32>(0)},
                    [&](Graph&, auto in) { return pad(in[0], in[1], low, high, interior); });
  };
  EXPECT_EQ(padded(Array::of<I32>({2, 3}, {1, 2, 3, 4, 5, 6}), {0, 1}, {2, 1}, {1, 2}),
            Array::of<I32>({5, 9}, {0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5,
                                    0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  const Array x = Array::of<I32>({3}, {1, 2, 3});
  EXPECT_EQ(padded(x, {-1}, {1}, {0}), Array::of<I32>({3}, {2, 3, 0}));
  EXPECT_EQ(padded(x, {-1}, {-1}, {1}),
            Array::of<I32>({3}, {0, 2, 0}));  // 1 0 2 0 3 without its first and last element
  EXPECT_EQ(padded(x, {-3}, {0}, {1}), Array::of<I32>({2}, {0, 3}));
  EXPECT_EQ(padded(x, {2}, {-4}, {0}), Array::of<I32>({1}, {0}));
  EXPECT_EQ(padded(x, {-5}, {3}, {0}), Array::of<I32>({1}, {0}));
  EXPECT_EQ(padded(Array(Type(DType::i32, {0})), {1}, {2}, {3}), Array::of<I32>({3}, {0, 0, 0}));
}

TEST(Shape, ConcatenateReverseReshape) {
  const auto joined = [](std::vector<Array> parts, std::int64_t dimension) {
    return evaluate(parts, [&](Graph&, auto in) { return concatenate(in, dimension); });
  };
  EXPECT_EQ(joined({counted({3, 2}), Array::of<I32>({1, 2}, {7, 8}), Array(Type(DType::i32, {0, 2}))}, 0),
            Array::of<I32>({4, 2}, {0, 1, 2, 3, 4, 5, 7, 8}));
  EXPECT_EQ(joined({counted({2, 1}), counted({2, 2})}, 1), Array::of<I32>({2, 3}, {0, 0, 1, 1, 2, 3}));
  const auto reversed = [](const Array& x, std::vector<std::int64_t> dimensions) {
    return evaluate({x}, [&](Graph&, auto in) { return reverse(in[0], dimensions); });
  };
  EXPECT_EQ(reversed(Array::of<I32>({3, 2}, {1, 2, 3, 4, 5, 6}), {1}), Array::of<I32>({3, 2}, {2, 1, 4, 3, 6, 5}));
  EXPECT_EQ(reversed(reversed(counted({2, 3, 4}), {0, 2}), {2, 0}), counted({2, 3, 4}));
  EXPECT_EQ(reversed(Array(Type(DType::i32, {0, 2})), {0}).size(), 0);
  EXPECT_EQ(evaluate({counted({2, 3})}, [](Graph&, auto in) { return reshape(in[0], {3, 2}); }), counted({3, 2}));
}

}  // namespace
}  // namespace weft::ir
