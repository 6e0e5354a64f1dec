#include <random>
#include <tests/ir/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::ir {
namespace {

using I64 = std::int64_t;
using Ns = std::vector<std::int64_t>;

Array random_integers(Type type, unsigned seed) {
  std::mt19937 random(seed);
  Array result(type);
  for (I64& v : result.data<I64>()) v = static_cast<I64>(random() % 19) - 9;
  return result;
}

TEST(DotGeneral, MultipliesBatchesOfMatrices) {
  const Array lhs = Array::of<I64>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
              rhs = Array::of<I64>({2, 2, 2}, {1, 0, 0, 1, 0, 1, 1, 0});
  const Ns zero{0}, one{1}, two{2};
  EXPECT_EQ(evaluate({lhs, rhs}, [&](Graph&, auto in) { return dot_general(in[0], in[1], {zero, zero, two, one}); }),
            Array::of<I64>({2, 2, 2}, {1, 2, 3, 4, 6, 5, 8, 7}));
}

TEST(DotGeneral, OrdersDimensionsAsBatchLhsRhs) {
  const Array lhs = random_integers(Type(DType::i64, {3, 2, 4, 5}), 1),
              rhs = random_integers(Type(DType::i64, {4, 6, 5, 2}), 2);
  const Ns lhs_batching{1}, rhs_batching{3}, lhs_contracting{3, 2}, rhs_contracting{2, 0};
  const Array y = evaluate({lhs, rhs}, [&](Graph&, auto in) {
    return dot_general(in[0], in[1], {lhs_batching, rhs_batching, lhs_contracting, rhs_contracting});
  });
  ASSERT_EQ(y.type(), Type(DType::i64, {2, 3, 6}));
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 6; ++j) {
        I64 sum = 0;
        for (int k = 0; k < 4; ++k)
          for (int l = 0; l < 5; ++l)
            sum += lhs.data<I64>()[((i * 2 + b) * 4 + k) * 5 + l] * rhs.data<I64>()[((k * 6 + j) * 5 + l) * 2 + b];
        EXPECT_EQ(y.data<I64>()[(b * 3 + i) * 6 + j], sum);
      }
}

TEST(DotGeneral, AccumulatesInDoubleAndRoundsOnce) {
  const Ns none{}, zero{0};
  const auto dot = [&](const Array& a, const Array& b, DType dtype) {
    return evaluate({a, b},
                    [&](Graph&, auto in) { return dot_general(in[0], in[1], {none, none, zero, zero}, dtype); });
  };
  const Array a = Array::of<float>({3}, {1e8, 1, -1e8}), ones = Array::of<float>({3}, {1, 1, 1});
  EXPECT_EQ(dot(a, ones, DType::f32), Array::scalar<float>(1));
  const Array many = Array::splat(Type(DType::bf16, {1001}), 1);
  EXPECT_EQ(dot(many, many, DType::bf16), Array::scalar<bfloat16>(1000));
  EXPECT_EQ(dot(many, many, DType::f32), Array::scalar<float>(1001));
  const Array bytes = Array::of<std::int8_t>({2}, {100, -100});
  EXPECT_EQ(dot(bytes, bytes, DType::i8), Array::scalar<std::int8_t>(32));  // 20000 wraps
  EXPECT_EQ(dot(bytes, bytes, DType::i32), Array::scalar<std::int32_t>(20000));
}

TEST(DotGeneral, OfNothingIsZero) {
  const Ns none{}, zero{0}, one{1};
  const auto dot = [&](Type a, Type b) {
    return evaluate({Array(a), Array(b)},
                    [&](Graph&, auto in) { return dot_general(in[0], in[1], {none, none, one, zero}); });
  };
  EXPECT_EQ(dot(Type(DType::f32, {2, 0}), Type(DType::f32, {0, 3})), Array(Type(DType::f32, {2, 3})));
  EXPECT_EQ(dot(Type(DType::f32, {0, 2}), Type(DType::f32, {2, 3})).type(), Type(DType::f32, {0, 3}));
  EXPECT_EQ(dot(Type(DType::f32, {2, 2}), Type(DType::f32, {2, 0})).size(), 0);
}

TEST(Convolution, FollowsTheSpecificationsExample) {
  const Ns spatial{1, 2}, kernel_spatial{0, 1}, strides{4, 4}, dilation{2, 2};
  const ConvolutionAttributes a{.input_batch = 0,
                                .input_feature = 3,
                                .input_spatial = spatial,
                                .kernel_input_feature = 2,
                                .kernel_output_feature = 3,
                                .kernel_spatial = kernel_spatial,
                                .output_batch = 0,
                                .output_feature = 3,
                                .output_spatial = spatial,
                                .strides = strides,
                                .padding = {},
                                .lhs_dilation = dilation,
                                .rhs_dilation = {},
                                .reversal = {}};
  const Array x = Array::of<I64>({1, 4, 4, 1}, {1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17});
  EXPECT_EQ(evaluate({x, Array::splat(Type(DType::i64, {3, 3, 1, 1}), 1)},
                     [&](Graph&, auto in) { return convolution(in[0], in[1], a); }),
            Array::of<I64>({1, 2, 2, 1}, {10, 26, 46, 62}));
}

struct Case {
  std::int64_t feature_groups, batch_groups;
};

class GroupedConvolution : public ::testing::TestWithParam<Case> {};

// Uses all attributes in one spatial dimension and compares with a loop that follows the definition.
TEST_P(GroupedConvolution, MeansItsDefinition) {
  const auto [feature_groups, batch_groups] = GetParam();
  const Ns spatial{2}, strides{2}, padding{1, 3}, lhs_dilation{2}, rhs_dilation{3}, reversal{1};
  const ConvolutionAttributes a{.input_spatial = spatial,
                                .kernel_spatial = spatial,
                                .output_spatial = spatial,
                                .strides = strides,
                                .padding = padding,
                                .lhs_dilation = lhs_dilation,
                                .rhs_dilation = rhs_dilation,
                                .reversal = reversal,
                                .feature_groups = feature_groups,
                                .batch_groups = batch_groups};
  const std::int64_t batch = 4, in = 6, out = 4, size = 7, window = 3, channels = in / feature_groups,
                     result_batch = batch / batch_groups;
  const Array x = random_integers(Type(DType::i64, {batch, in, size}), 3),
              kernel = random_integers(Type(DType::i64, {out, channels, window}), 4);
  const Array y = evaluate({x, kernel}, [&](Graph&, auto v) { return convolution(v[0], v[1], a); });
  const std::int64_t padded = 1 + (2 * size - 1) + 3, positions = (padded - ((window - 1) * 3 + 1)) / 2 + 1;
  ASSERT_EQ(y.type(), Type(DType::i64, {result_batch, out, positions}));
  const auto at = [](const Array& array, std::int64_t i, std::int64_t j, std::int64_t k) {
    return array.data<I64>()[(i * array.type().size(1) + j) * array.type().size(2) + k];
  };
  for (std::int64_t n = 0; n < result_batch; ++n)
    for (std::int64_t o = 0; o < out; ++o)
      for (std::int64_t p = 0; p < positions; ++p) {
        I64 sum = 0;
        for (std::int64_t c = 0; c < channels; ++c)
          for (std::int64_t w = 0; w < window; ++w) {
            const std::int64_t dilated = p * 2 + w * 3 - 1;
            if (dilated < 0 || dilated % 2 != 0 || dilated / 2 >= size) continue;
            const std::int64_t group = o * feature_groups / out, part = o * batch_groups / out;
            sum += at(x, part * result_batch + n, group * channels + c, dilated / 2) * at(kernel, o, c, window - 1 - w);
          }
        EXPECT_EQ(at(y, n, o, p), sum);
      }
}

INSTANTIATE_TEST_SUITE_P(Groups, GroupedConvolution, ::testing::Values(Case{1, 1}, Case{2, 1}, Case{1, 2}, Case{1, 4}));

TEST(Convolution, OfNothingIsZero) {
  const Ns spatial{2};
  const ConvolutionAttributes a{.input_spatial = spatial,
                                .kernel_spatial = spatial,
                                .output_spatial = spatial,
                                .strides = {},
                                .padding = {},
                                .lhs_dilation = {},
                                .rhs_dilation = {},
                                .reversal = {}};
  const auto convolved = [&](Type x, Type kernel) {
    return evaluate({Array::splat(x, 1), Array::splat(kernel, 1)},
                    [&](Graph&, auto in) { return convolution(in[0], in[1], a); });
  };
  EXPECT_EQ(convolved(Type(DType::f32, {1, 0, 3}), Type(DType::f32, {2, 0, 2})), Array(Type(DType::f32, {1, 2, 2})));
  EXPECT_EQ(convolved(Type(DType::f32, {0, 1, 3}), Type(DType::f32, {2, 1, 2})).size(), 0);
}

TEST(DotGeneral, SumsInF32WhereAskedTo) {
  const std::array types{Type(DType::f32, {3}), Type(DType::f32, {3})};
  const auto graph = make_graph(types, [](Graph&, std::span<const Value> x) {
    const std::int64_t first = 0;
    DotAttributes dimensions;
    dimensions.lhs_contracting = dimensions.rhs_contracting = Ints(&first, 1);
    return std::vector{dot_general(x[0], x[1], dimensions)};
  });
  const std::vector inputs{Array::of<float>({3}, {1, 1, 1}), Array::of<float>({3}, {1e8, 1, -1e8})};
  EXPECT_EQ(interpret(*graph, inputs)[0], Array::scalar<float>(1));
  EXPECT_EQ(interpret(*graph, inputs, {Accumulation::element})[0], Array::scalar<float>(0));
}

}  // namespace
}  // namespace weft::ir
