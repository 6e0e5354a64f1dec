#include <weft/base/half.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace weft {
namespace {

// The reference for both formats, with the parameters of IEEE 754.
template <class T, int Mantissa, int Exponent>
struct Format {
  using Type = T;
  static constexpr int mantissa = Mantissa, exponent = Exponent, bias = (1 << (Exponent - 1)) - 1;

  // Computes the value from the definition of the format.
  static double value(std::uint16_t bits) {
    const double sign = bits >> 15 ? -1 : 1;
    const int field = bits >> mantissa & ((1 << exponent) - 1);
    const int fraction = bits & ((1 << mantissa) - 1);
    if (field == (1 << exponent) - 1) {
      return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    }
    if (field == 0) return sign * std::ldexp(fraction, 1 - bias - mantissa);
    return sign * std::ldexp((1 << mantissa) + fraction, field - bias - mantissa);
  }
  static constexpr std::uint16_t infinity = static_cast<std::uint16_t>(((1 << Exponent) - 1) << Mantissa);
};

template <class F>
class Half : public testing::Test {};
using HalfFormats = testing::Types<Format<float16, 10, 5>, Format<bfloat16, 7, 8>>;
TYPED_TEST_SUITE(Half, HalfFormats);

TYPED_TEST(Half, EveryValueWidensExactly) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const double expected = TypeParam::value(bits), got = TypeParam::Type::from_bits(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      ASSERT_EQ(std::signbit(got), bits >> 15) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected)) << bits;
    }
  }
}

TYPED_TEST(Half, EveryValueSurvivesARoundTrip) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const auto back = typename TypeParam::Type(static_cast<double>(TypeParam::Type::from_bits(bits)));
    if (std::isnan(TypeParam::value(bits))) {
      ASSERT_TRUE(std::isnan(static_cast<double>(back))) << bits;
      ASSERT_EQ(back.bits >> 15, bits >> 15) << bits;
    } else {
      ASSERT_EQ(back.bits, bits);
    }
  }
}

// Checks the values between every two neighbours: ties go to the even one, everything else to the nearer one.
TYPED_TEST(Half, RoundsToNearestEven) {
  using T = typename TypeParam::Type;
  for (std::uint16_t bits = 0; bits < TypeParam::infinity; ++bits) {
    const auto above = static_cast<std::uint16_t>(bits + 1);
    // Above the largest finite value, the next one would be a power of two; numbers near it round to infinity.
    const double low = TypeParam::value(bits);
    const double high = above == TypeParam::infinity ? std::ldexp(1, TypeParam::bias + 1) : TypeParam::value(above);
    const double middle = low + (high - low) / 2;
    const std::uint16_t even = bits % 2 == 0 ? bits : above;
    for (const int sign : {0, 1}) {
      const auto signed_bits = [&](std::uint16_t b) { return static_cast<std::uint16_t>(b | sign << 15); };
      const double s = sign ? -1 : 1;
      ASSERT_EQ(T(s * middle).bits, signed_bits(even)) << bits;
      ASSERT_EQ(T(s * std::nextafter(middle, low)).bits, signed_bits(bits)) << bits;
      ASSERT_EQ(T(s * std::nextafter(middle, high)).bits, signed_bits(above)) << bits;
    }
  }
}

TYPED_TEST(Half, FarValuesBecomeZeroAndInfinity) {
  using T = typename TypeParam::Type;
  EXPECT_EQ(T(1e300).bits, TypeParam::infinity);
  EXPECT_EQ(T(-1e300).bits, TypeParam::infinity | 0x8000);
  EXPECT_EQ(T(1e-300).bits, 0);
  EXPECT_EQ(T(-std::numeric_limits<double>::denorm_min()).bits, 0x8000);
  EXPECT_EQ(T(std::numeric_limits<double>::infinity()).bits, TypeParam::infinity);
}

TEST(Bfloat16, IsTheUpperHalfOfAFloat) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto widened = std::bit_cast<float>(i << 16);
    if (std::isnan(widened)) continue;
    ASSERT_EQ(static_cast<double>(bfloat16::from_bits(static_cast<std::uint16_t>(i))), static_cast<double>(widened));
  }
}

static_assert(float16(1.0).bits == 0x3c00 && bfloat16(1.0).bits == 0x3f80);

}  // namespace
}  // namespace weft
