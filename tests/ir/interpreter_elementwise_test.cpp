#include <cmath>
#include <limits>
#include <random>
#include <tests/ir/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::ir {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Array row(std::initializer_list<Array::Given<T>> elements) {
  return Array::of<T>({std::ssize(elements)}, elements);
}

TEST(Elementwise, IntegersWrap) {
  EXPECT_EQ(evaluate(add, row<std::int8_t>({100, -128}), row<std::int8_t>({100, -1})), row<std::int8_t>({-56, 127}));
  EXPECT_EQ(evaluate(subtract, row<std::uint8_t>({1}), row<std::uint8_t>({2})), row<std::uint8_t>({255}));
  EXPECT_EQ(evaluate(multiply, row<std::int16_t>({300, -32768}), row<std::int16_t>({300, -1})),
            row<std::int16_t>({24464, -32768}));
  EXPECT_EQ(evaluate(negate, row<std::int8_t>({-128, 5})), row<std::int8_t>({-128, -5}));
  EXPECT_EQ(evaluate(abs, row<std::int8_t>({-128, -5})), row<std::int8_t>({-128, 5}));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(evaluate(multiply, row<std::int64_t>({most}), row<std::int64_t>({2})), row<std::int64_t>({-2}));
  EXPECT_EQ(evaluate(add, row<std::uint64_t>({~std::uint64_t{0}}), row<std::uint64_t>({3})), row<std::uint64_t>({2}));
}

TEST(Elementwise, IntegerDivisionRoundsTowardsZeroAndIsTotal) {
  const Array a = row<std::int8_t>({17, 17, -17, -17, 5, 0, -128}), b = row<std::int8_t>({3, -3, 3, -3, 0, 0, -1});
  EXPECT_EQ(evaluate(divide, a, b), row<std::int8_t>({5, -5, -5, 5, -1, -1, -128}));
  EXPECT_EQ(evaluate(remainder, a, b), row<std::int8_t>({2, 2, -2, -2, 5, 0, 0}));
  EXPECT_EQ(evaluate(divide, row<std::uint8_t>({200, 7}), row<std::uint8_t>({3, 0})), row<std::uint8_t>({66, 255}));
  EXPECT_EQ(evaluate(remainder, row<std::uint8_t>({200, 7}), row<std::uint8_t>({3, 0})), row<std::uint8_t>({2, 7}));
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(evaluate(divide, row<std::int64_t>({least}), row<std::int64_t>({-1})), row<std::int64_t>({least}));
  EXPECT_EQ(evaluate(remainder, row<std::int64_t>({least}), row<std::int64_t>({-1})), row<std::int64_t>({0}));
}

TEST(Elementwise, ShiftsByTheWidthOrMore) {
  const Array x = row<std::int8_t>({-128, -1, 64, 1, -2}), by = row<std::int8_t>({7, 8, 1, -1, 100});
  EXPECT_EQ(evaluate(shift_left, x, by), row<std::int8_t>({0, 0, -128, 0, 0}));
  EXPECT_EQ(evaluate(shift_right_logical, x, by), row<std::int8_t>({1, 0, 32, 0, 0}));
  EXPECT_EQ(evaluate(shift_right_arithmetic, x, by), row<std::int8_t>({-1, -1, 32, 0, -1}));
  EXPECT_EQ(evaluate(shift_right_arithmetic, row<std::uint8_t>({0x80}), row<std::uint8_t>({3})),
            row<std::uint8_t>({0xf0}));
  EXPECT_EQ(evaluate(shift_left, row<std::uint64_t>({1, 1}), row<std::uint64_t>({63, 64})),
            row<std::uint64_t>({std::uint64_t{1} << 63, 0}));
}

TEST(Elementwise, CountsBits) {
  EXPECT_EQ(evaluate(popcnt, row<std::int16_t>({-1, 0, 5})), row<std::int16_t>({16, 0, 2}));
  EXPECT_EQ(evaluate(count_leading_zeros, row<std::int8_t>({0, 1, -1})), row<std::int8_t>({8, 7, 0}));
}

TEST(Elementwise, BooleansAreLogic) {
  const Array a = row<bool>({false, false, true, true}), b = row<bool>({false, true, false, true});
  EXPECT_EQ(evaluate(add, a, b), row<bool>({false, true, true, true}));
  EXPECT_EQ(evaluate(maximum, a, b), row<bool>({false, true, true, true}));
  EXPECT_EQ(evaluate(multiply, a, b), row<bool>({false, false, false, true}));
  EXPECT_EQ(evaluate(minimum, a, b), row<bool>({false, false, false, true}));
  EXPECT_EQ(evaluate(xor_, a, b), row<bool>({false, true, true, false}));
  EXPECT_EQ(evaluate(not_, a), row<bool>({true, true, false, false}));
}

TEST(Elementwise, ExtremaPropagateNanAndOrderZeros) {
  const Array a = row<float>({nan, 1, 0, -0.0, 2, -infinity}), b = row<float>({1, nan, -0.0, 0, 3, infinity});
  const Array high = evaluate(maximum, a, b), low = evaluate(minimum, a, b);
  for (const int i : {0, 1}) EXPECT_TRUE(std::isnan(high.element(i)) && std::isnan(low.element(i)));
  for (const int i : {2, 3}) EXPECT_TRUE(!std::signbit(high.element(i)) && std::signbit(low.element(i)));
  EXPECT_EQ(high.element(4), 3);
  EXPECT_EQ(low.element(4), 2);
  EXPECT_EQ(high.element(5), infinity);
  EXPECT_EQ(low.element(5), -infinity);
}

TEST(Elementwise, RoundsHalves) {
  const Array x = row<float>({0.5, 1.5, 2.5, -0.5, -2.5, 0.4999999701976776});
  EXPECT_EQ(evaluate(round_nearest_even, x), row<float>({0, 2, 2, -0.0, -2, 0}));
  EXPECT_EQ(evaluate(round_nearest_afz, x), row<float>({1, 2, 3, -1, -3, 0}));
}

TEST(Elementwise, FloatRemainderHasTheSignOfTheDividend) {
  EXPECT_EQ(evaluate(remainder, row<double>({17.1, -17.1, 17.1, -17.1}), row<double>({3, 3, -3, -3})),
            row<double>({std::fmod(17.1, 3.0), -std::fmod(17.1, 3.0), std::fmod(17.1, 3.0), -std::fmod(17.1, 3.0)}));
}

TEST(Elementwise, SignKeepsNanAndZeros) {
  const Array s = evaluate(sign, row<float>({-3, -0.0, 0, 2, nan}));
  EXPECT_EQ(s.element(0), -1);
  EXPECT_TRUE(s.element(1) == 0 && std::signbit(s.element(1)));
  EXPECT_TRUE(s.element(2) == 0 && !std::signbit(s.element(2)));
  EXPECT_EQ(s.element(3), 1);
  EXPECT_TRUE(std::isnan(s.element(4)));
  EXPECT_EQ(evaluate(sign, row<std::int32_t>({-7, 0, 7})), row<std::int32_t>({-1, 0, 1}));
}

TEST(Elementwise, LogisticDoesNotOverflow) {
  const Array y = evaluate(logistic, row<double>({-750, -40, 0, 40, 750, nan}));
  EXPECT_EQ(y.element(0), 0);
  EXPECT_DOUBLE_EQ(y.element(1), std::exp(-40.0));
  EXPECT_EQ(y.element(2), 0.5);
  EXPECT_EQ(y.element(4), 1);
  EXPECT_TRUE(std::isnan(y.element(5)));
}

TEST(Elementwise, FloatsRoundOnce) {
  // Basic operations on f32 equal those of IEEE.
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-100, 100);
  Array a(Type(DType::f32, {1000})), b = a, sum = a, product = a, quotient = a, root = a;
  for (std::size_t i = 0; i < 1000; ++i) {
    const float x = a.data<float>()[i] = uniform(random), y = b.data<float>()[i] = uniform(random);
    sum.data<float>()[i] = x + y;
    product.data<float>()[i] = x * y;
    quotient.data<float>()[i] = x / y;
    root.data<float>()[i] = std::sqrt(std::abs(x));
  }
  EXPECT_EQ(evaluate(add, a, b), sum);
  EXPECT_EQ(evaluate(multiply, a, b), product);
  EXPECT_EQ(evaluate(divide, a, b), quotient);
  EXPECT_EQ(evaluate({a}, [](Graph&, auto in) { return sqrt(abs(in[0])); }), root);
  // In bfloat16, 256 + 1 is a tie, and 1 + 2^-8 + 2^-12 is above one.
  EXPECT_EQ(evaluate(add, row<bfloat16>({256, 1.0078125}), row<bfloat16>({1, 0.004150390625})),
            row<bfloat16>({256, 1.015625}));
  EXPECT_EQ(evaluate(exponential, row<bfloat16>({1})), row<bfloat16>({std::exp(1.0)}));
}

TEST(Elementwise, FunctionsAreTheMathLibrarys) {
  const Array x = row<double>({0.3, 0.7});
  const auto expect = [&](Value (*f)(Value), double (*g)(double)) {
    const Array y = evaluate(f, x);
    EXPECT_EQ(y.element(0), g(0.3));
    EXPECT_EQ(y.element(1), g(0.7));
  };
  expect(cbrt, std::cbrt);
  expect(ceil, std::ceil);
  expect(cosine, std::cos);
  expect(erf, std::erf);
  expect(exponential, std::exp);
  expect(exponential_minus_one, std::expm1);
  expect(floor, std::floor);
  expect(log, std::log);
  expect(log_plus_one, std::log1p);
  expect(rsqrt, [](double v) { return 1 / std::sqrt(v); });
  expect(sine, std::sin);
  expect(tan, std::tan);
  expect(tanh, std::tanh);
  EXPECT_EQ(evaluate(power, x, x).element(1), std::pow(0.7, 0.7));
  EXPECT_EQ(evaluate(atan2, x, row<double>({-1, 2})).element(0), std::atan2(0.3, -1.0));
}

TEST(Elementwise, IntegerPower) {
  const Array base = row<std::int8_t>({2, 2, -3, 0, 7, 1, -1, -1, 2, 0}),
              exponent = row<std::int8_t>({3, 7, 3, 0, 3, -5, -5, -4, -1, -1});
  EXPECT_EQ(evaluate(power, base, exponent), row<std::int8_t>({8, -128, -27, 1, 87, 1, -1, 1, 0, 0}));
  EXPECT_EQ(evaluate(power, row<std::uint8_t>({3}), row<std::uint8_t>({200})), row<std::uint8_t>({161}));
}

TEST(Elementwise, ComparesExactly) {
  const auto compared = [](const Array& a, const Array& b, Direction d, Comparison type = Comparison::NOTYPE) {
    return evaluate({a, b}, [&](Graph&, auto in) { return compare(in[0], in[1], d, type); });
  };
  constexpr std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(compared(row<std::int64_t>({big}), row<std::int64_t>({big - 1}), Direction::GT), row<bool>({true}));
  EXPECT_EQ(compared(row<std::uint64_t>({~std::uint64_t{0}}), row<std::uint64_t>({1}), Direction::LT),
            row<bool>({false}));
  const Array x = row<float>({nan, 1, -0.0}), y = row<float>({nan, 2, 0});
  EXPECT_EQ(compared(x, y, Direction::EQ), row<bool>({false, false, true}));
  EXPECT_EQ(compared(x, y, Direction::NE), row<bool>({true, true, false}));
  EXPECT_EQ(compared(x, y, Direction::LE), row<bool>({false, true, true}));
  EXPECT_EQ(compared(x, y, Direction::LT, Comparison::TOTALORDER), row<bool>({false, true, true}));
  EXPECT_EQ(compared(x, y, Direction::EQ, Comparison::TOTALORDER), row<bool>({true, false, false}));
  const Array order = row<bfloat16>({-nan, -infinity, -1, -0.0, 0, 1, infinity});
  const Array next = row<bfloat16>({-infinity, -1, -0.0, 0, 1, infinity, nan});
  EXPECT_EQ(compared(order, next, Direction::LT, Comparison::TOTALORDER),
            row<bool>({true, true, true, true, true, true, true}));
}

TEST(Elementwise, RankZeroPredicatesAndBoundsHoldForAll) {
  const Array x = row<float>({1, 5, nan}), y = row<float>({2, 2, 2});
  EXPECT_EQ(evaluate(select, Array::scalar<bool>(false), x, y), y);
  EXPECT_EQ(evaluate(select, row<bool>({true, false, true}), y, row<float>({7, 7, 7})), row<float>({2, 7, 2}));
  const Array clamped = evaluate(clamp, Array::scalar<float>(2), x, Array::scalar<float>(4));
  EXPECT_EQ(clamped.element(0), 2);
  EXPECT_EQ(clamped.element(1), 4);
  EXPECT_TRUE(std::isnan(clamped.element(2)));
}

TEST(Elementwise, ConvertsAndBitcasts) {
  const auto converted = [](const Array& x, DType dtype) {
    return evaluate({x}, [&](Graph&, auto in) { return convert(in[0], dtype); });
  };
  EXPECT_EQ(converted(row<float>({-1.5, 300, nan}), DType::u8), row<std::uint8_t>({0, 255, 0}));
  EXPECT_EQ(converted(row<double>({0x1p64, 0x1p63}), DType::u64),
            row<std::uint64_t>({~std::uint64_t{0}, std::uint64_t{1} << 63}));
  EXPECT_EQ(converted(row<float>({0.5, 0}), DType::boolean), row<bool>({true, false}));
  const auto bits = [](const Array& x, Type type) {
    return evaluate({x}, [&](Graph&, auto in) { return bitcast_convert(in[0], type); });
  };
  EXPECT_EQ(bits(row<float>({1, -2}), Type(DType::u32, {2})), row<std::uint32_t>({0x3f800000, 0xc0000000}));
  EXPECT_EQ(bits(row<std::int16_t>({0x3f80}), Type(DType::bf16, {1})), row<bfloat16>({1}));
}

TEST(Elementwise, ReducesPrecisionAsBfloat16Does) {
  std::mt19937 random(2);
  Array x(Type(DType::f32, {500})), expected = x;
  for (std::size_t i = 0; i < 500; ++i) {
    const float value =
        std::bit_cast<float>(static_cast<std::uint32_t>((random() & 0x807fffffu) | ((100 + random() % 50) << 23)));
    x.data<float>()[i] = value;
    expected.data<float>()[i] = static_cast<float>(static_cast<double>(bfloat16(value)));
  }
  EXPECT_EQ(evaluate({x}, [](Graph&, auto in) { return reduce_precision(in[0], 8, 7); }), expected);
  EXPECT_EQ(evaluate({row<double>({1e10, 1 + 0x1p-11 + 0x1p-30, 65504, 65520})},
                     [](Graph&, auto in) { return reduce_precision(in[0], 5, 10); }),
            row<double>({infinity, 1 + 0x1p-10, 65504, infinity}));
}

TEST(Elementwise, TakesNothingAndScalars) {
  EXPECT_EQ(evaluate(exponential, Array(Type(DType::f32, {0, 3}))), Array(Type(DType::f32, {0, 3})));
  EXPECT_EQ(evaluate(add, Array::scalar<float>(1), Array::scalar<float>(2)), Array::scalar<float>(3));
  EXPECT_EQ(
      evaluate(select, Array::scalar<bool>(true), Array(Type(DType::i8, {0})), Array(Type(DType::i8, {0}))).size(), 0);
}

}  // namespace
}  // namespace weft::ir
