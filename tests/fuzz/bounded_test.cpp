// The bounds of the reference are wide enough for other ways to compute the same, and no wider than rounding explains.
#include <weft/fuzz/bounded.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {
namespace {

using ir::Array;
using ir::Value;
using Build = std::function<Value(ir::Graph&, std::span<const Value>)>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Bounded bounded(const std::vector<Array>& inputs, const Build& build, const Arithmetic& arithmetic = {}) {
  ir::Graph graph;
  std::vector<Value> values;
  for (const Array& input : inputs) values.push_back(graph.add_input(input.type()));
  graph.set_outputs({build(graph, values)});
  return interpret_bounded(graph, inputs, arithmetic).at(0);
}

Array vector(std::initializer_list<double> elements) { return Array::of<float>({std::ssize(elements)}, elements); }
double at(const Array& bound, std::size_t i = 0) { return bound.data<double>()[i]; }

constexpr double eps = 0x1p-23;

TEST(Bounded, MovingAndSelectingIsExact) {
  const auto result = bounded({vector({3, 1, 2})}, [](ir::Graph&, auto x) {
    return ir::maximum(ir::reverse(x[0], std::vector<std::int64_t>{0}), ir::negate(x[0]));
  });
  EXPECT_TRUE(result.is_exact());
}

TEST(Bounded, BasicArithmeticIsExactInStrictModeOnly) {
  const Build build = [](ir::Graph&, auto x) { return x[0] * x[0] + x[0]; };
  EXPECT_TRUE(bounded({vector({3})}, build, {.strict = true}).is_exact());
  const auto fast = bounded({vector({3})}, build);
  EXPECT_GE(at(fast.bound), 0.5 * 8 * eps);  // the change that a contraction may cause
  EXPECT_LE(at(fast.bound), 4 * 8 * eps);
}

// If 1e30 * 1e30 is contracted into the subtraction, the result is -inf instead of NaN.
TEST(Bounded, AProductThatOverflowsIsKnownInStrictModeOnly) {
  const Build build = [](ir::Graph&, auto x) { return x[0] * x[0] - x[1]; };
  const std::vector<Array> inputs{vector({1e30}), vector({infinity})};
  EXPECT_EQ(at(bounded(inputs, build).bound), infinity);
  EXPECT_TRUE(bounded(inputs, build, {.strict = true}).is_exact());
  EXPECT_TRUE(bounded({vector({infinity})}, [](ir::Graph&, auto x) { return x[0] * x[0]; }).is_known());
}

TEST(Bounded, SumsInPartsMayRoundEachPart) {
  const Build build = [](ir::Graph&, auto x) { return ir::reduce_sum(x[0], std::vector<std::int64_t>{0}); };
  const std::vector<Array> inputs{Array::of<float16>({4}, {1, 2, 3, 4})};
  EXPECT_GT(at(bounded(inputs, build, {.parts = true}).bound), 2 * at(bounded(inputs, build).bound));
}

TEST(Bounded, ErrorsGrowWithTheDerivative) {
  // x carries about one ulp of 16; exp multiplies it by exp(16).
  const auto result = bounded({vector({4})}, [](ir::Graph&, auto x) { return ir::exponential(x[0] * x[0]); });
  EXPECT_GE(at(result.bound), 16 * eps * std::exp(16.0));
  EXPECT_LE(at(result.bound), 32 * eps * std::exp(16.0));
}

TEST(Bounded, SumsMayBeTakenInAnyOrder) {
  const auto sum = [](const Array& array) {
    return bounded({array}, [](ir::Graph&, auto x) { return ir::reduce_sum(x[0], std::vector<std::int64_t>{0}); });
  };
  // In f32, summing from left to right loses the 1.
  EXPECT_GE(at(sum(vector({1e8, 1, -1e8})).bound), 1);
  EXPECT_LE(at(sum(vector({1e8, 1, -1e8})).bound), 200);
  EXPECT_LE(at(sum(vector({1, 2, 3})).bound), 64 * eps);
}

TEST(Bounded, InfinitiesAndNanAreKnownUnlessAnOverflowMadeThem) {
  const auto sum = [](std::initializer_list<double> elements) {
    return bounded({vector(elements)},
                   [](ir::Graph&, auto x) { return ir::reduce_sum(x[0], std::vector<std::int64_t>{0}); });
  };
  EXPECT_EQ(at(sum({infinity, 1}).bound), 0);
  EXPECT_EQ(at(sum({NAN, 1}).bound), 0);
  EXPECT_EQ(at(sum({3e38, 3e38, -3e38}).bound), infinity);
}

TEST(Bounded, DecisionsAreKnownAwayFromTheirEdge) {
  // y = x * x is either within an ulp of the number that it is compared with, or far from it.
  const Build build = [](ir::Graph&, auto x) { return ir::compare(x[0] * x[0], x[1], ir::Direction::LT); };
  const auto result = bounded({vector({3, 3}), vector({9, 10})}, build);
  EXPECT_EQ(at(result.bound, 0), infinity);
  EXPECT_EQ(at(result.bound, 1), 0);
  EXPECT_TRUE(bounded({vector({3, 3}), vector({9, 10})}, build, {.strict = true}).is_exact());
}

TEST(Bounded, BitsOfWhatIsRoundedAreUnknown) {
  const Array x = Array::of<double>({1}, {43});
  const Build build = [](ir::Graph&, auto v) {
    return ir::bitcast_convert(ir::exponential(v[0]), v[0].type().with(DType::u64));
  };
  EXPECT_FALSE(bounded({x}, build).is_known());
}

TEST(Bounded, TheSignOfAZeroThatWasRoundedIsFree) {
  const auto result = bounded({vector({-0.25, 0.25})}, [](ir::Graph&, auto x) {
    const Value sum = ir::reduce_sum(x[0], std::vector<std::int64_t>{0});
    return ir::round_nearest_even(sum);
  });
  EXPECT_TRUE(result.is_known());
  EXPECT_FALSE(result.is_exact());
}

TEST(Bounded, NothingIsKnownOfAQuotientByWhatMayBeZero) {
  const auto result = bounded({vector({0.1f, 0.1f})}, [](ir::Graph& g, auto x) {
    const Value third = x[0] * 3.0, zero = third - x[0] - x[0] - x[0];
    return ir::constant(g, x[0].type(), 1) / zero;
  });
  EXPECT_FALSE(result.is_known());
}

TEST(Bounded, NothingIsKnownOfWhatRepeatsItselfWithinTheError) {
  const Build round = [](ir::Graph&, auto x) { return x[0] * 1; };
  const auto of_rounded = [&](Value (*f)(Value)) {
    return [=](ir::Graph& graph, std::span<const Value> x) { return f(round(graph, x)); };
  };
  for (const auto f : {ir::sine, ir::cosine, ir::tan}) {
    EXPECT_EQ(at(bounded({vector({3e9})}, of_rounded(f)).bound), infinity);
    EXPECT_LT(at(bounded({vector({0.5})}, of_rounded(f)).bound), 1e-5);
  }
  // pi / 2 is within the rounding error
  EXPECT_EQ(at(bounded({vector({1.57079637})}, of_rounded(ir::tan)).bound), infinity);
  const auto remainder = [](Value x) { return ir::remainder(x, ir::constant_like(x, 3)); };
  EXPECT_EQ(at(bounded({vector({3e9})}, of_rounded(remainder)).bound), infinity);
}

TEST(Bounded, BranchesOnWhatIsUnsureAreUnknown) {
  const auto branch = [](double x) {
    return bounded({Array::scalar<float>(x)}, [](ir::Graph&, auto v) {
      const std::array types{v[0].type()};
      const Value near = ir::compare(v[0] * v[0], ir::constant_like(v[0], 9), ir::Direction::LT);
      return ir::if_(near, v, ir::make_graph(types, [](auto&, auto y) { return std::vector{y[0]}; }),
                     ir::make_graph(types, [](auto&, auto y) { return std::vector{ir::negate(y[0])}; }))[0];
    });
  };
  EXPECT_FALSE(branch(3).is_known());
  EXPECT_TRUE(branch(2).is_exact());
}

TEST(Bounded, SortedElementsMoveNoFurtherThanTheirErrors) {
  const auto result = bounded({vector({3, 1, 2})}, [](ir::Graph&, auto x) {
    return ir::sort(std::array{x[0] * x[0]}, 0, true,
                    ir::comparison_body(ir::Direction::LT, DType::f32, ir::Comparison::TOTALORDER))[0];
  });
  EXPECT_TRUE(result.is_known());
  EXPECT_FALSE(result.is_exact());
}

}  // namespace
}  // namespace weft::fuzz
