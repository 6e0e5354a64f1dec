// Compares reduce_precision with rounding by arithmetic, for every format narrower than the operand's.
#include <cmath>
#include <limits>
#include <tests/ir/evaluate.h>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>

namespace weft::ir {
namespace {

// Rounds to `mantissa` bits, ties to even, then replaces numbers outside of the exponent's range by infinity or zero.
double rounded_to_bits(double x, int exponent, int mantissa) {
  if (std::isnan(x)) return mantissa > 0 ? x : std::numeric_limits<double>::infinity();
  if (x == 0 || std::isinf(x)) return x;
  const int shift = mantissa - std::ilogb(x);
  const double y = std::ldexp(std::nearbyint(std::ldexp(x, shift)), -shift);
  const int bias = (1 << (exponent - 1)) - 1;
  if (std::ilogb(y) > bias) return std::copysign(std::numeric_limits<double>::infinity(), x);
  return std::ilogb(y) < 1 - bias ? std::copysign(0.0, x) : y;
}

template <class T>
class ReducePrecision : public ::testing::Test {};
using Floats = ::testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(ReducePrecision, Floats);

TYPED_TEST(ReducePrecision, RoundsToEveryNarrowerFormat) {
  using T = TypeParam;
  constexpr DType dtype = dtype_of<T>;
  constexpr int exponents = dtype == DType::f16 ? 5 : dtype == DType::f64 ? 11 : 8;
  constexpr int mantissas = dtype == DType::f16 ? 10 : dtype == DType::bf16 ? 7 : dtype == DType::f32 ? 23 : 52;
  Array x(Type(dtype, {12}));
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double given[] = {0.0, -0.0, 1.0, -1.71875, 3.9999, 300.5, -65000.0, 1e-4, 0.3, infinity, -infinity, nan};
  for (std::size_t i = 0; i < 12; ++i) x.data<T>()[i] = static_cast<T>(given[i]);

  for (int exponent = 2; exponent <= exponents; ++exponent) {
    for (int mantissa = 0; mantissa <= mantissas; ++mantissa) {
      const Array y = evaluate({x}, [&](Graph&, auto in) { return reduce_precision(in[0], exponent, mantissa); });
      for (std::size_t i = 0; i < 12; ++i) {
        const double input = x.data<T>()[i], actual = y.data<T>()[i];
        const bool unchanged = exponent == exponents && mantissa == mantissas;
        const double expected = unchanged ? input : rounded_to_bits(input, exponent, mantissa);
        if (std::isnan(expected)) {
          EXPECT_TRUE(std::isnan(actual));
        } else {
          EXPECT_EQ(actual, expected) << input << " to " << exponent << " + " << mantissa << " bits";
          EXPECT_EQ(std::signbit(actual), std::signbit(expected));
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::ir
