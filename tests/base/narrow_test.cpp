// Element types of at most a byte: every code is a number that converts to itself, and rounding goes to the nearest of them.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <weft/base/convert.h>

namespace weft {
namespace {

template <class T>
class NarrowFloats : public ::testing::Test {};
using NarrowFormats =
    ::testing::Types<float4_e2m1fn, float6_e2m3fn, float6_e3m2fn, float8_e3m4, float8_e4m3, float8_e4m3b11fnuz,
                     float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu>;
TYPED_TEST_SUITE(NarrowFloats, NarrowFormats);

template <class T>
T from_bits(int bits) {
  T value;
  value.bits = static_cast<std::uint8_t>(bits);
  return value;
}

template <class T>
constexpr int codes =
    T::format.specials == NarrowSpecials::powers ? 256 : 1 << (1 + T::format.exponent + T::format.mantissa);

TYPED_TEST(NarrowFloats, EveryCodeConvertsToItself) {
  for (int code = 0; code < codes<TypeParam>; ++code) {
    const double value = from_bits<TypeParam>(code);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(static_cast<double>(TypeParam(value)))) << code;
    else
      EXPECT_EQ(TypeParam(value).bits, code) << value;
  }
}

TYPED_TEST(NarrowFloats, RoundsToTheNearestAndTiesToEven) {
  for (int code = 0; code + 1 < codes<TypeParam>; ++code) {
    const double low = from_bits<TypeParam>(code), high = from_bits<TypeParam>(code + 1);
    if (!std::isfinite(low) || !std::isfinite(high) || std::signbit(low) != std::signbit(high) || low == 0) continue;
    const double middle = (low + high) / 2, step = (high - low) / 64;
    EXPECT_EQ(TypeParam(middle).bits, code % 2 == 0 ? code : code + 1) << middle;
    EXPECT_EQ(TypeParam(middle - step).bits, code);
    EXPECT_EQ(TypeParam(middle + step).bits, code + 1);
  }
}

TEST(Narrow, WhatIsTooLarge) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(static_cast<double>(float8_e4m3fn(448.0)), 448);
  EXPECT_EQ(static_cast<double>(float8_e4m3fn(464.0)), 448);
  EXPECT_TRUE(std::isnan(static_cast<double>(float8_e4m3fn(465.0))));
  EXPECT_EQ(static_cast<double>(float8_e5m2(57344.0)), 57344);
  EXPECT_EQ(static_cast<double>(float8_e5m2(-65536.0)), -infinity);
  EXPECT_TRUE(std::isnan(static_cast<double>(float8_e4m3fnuz(1e9))));
  EXPECT_EQ(static_cast<double>(float4_e2m1fn(1e300)), 6);
  EXPECT_EQ(static_cast<double>(float4_e2m1fn(-infinity)), -6);
  EXPECT_EQ(float8_e4m3fnuz(-0.0).bits, 0);
  EXPECT_TRUE(std::isnan(static_cast<double>(float8_e8m0fnu(-1.0))));
}

TEST(Narrow, IntegersWrapAndSaturate) {
  EXPECT_EQ(int4(9).value, -7);
  EXPECT_EQ(int2(-3).value, 1);
  EXPECT_EQ(uint4(-1).value, 15);
  EXPECT_EQ(convert_element<int4>(100.0f).value, 7);
  EXPECT_EQ(convert_element<int4>(-100.0).value, -8);
  EXPECT_EQ(convert_element<uint2>(-1.0).value, 0);
  EXPECT_EQ(convert_element<uint2>(std::int64_t{-1}).value, 3);
  EXPECT_EQ(convert_element<float>(int4(-8)), -8);
  EXPECT_EQ(convert_element<int4>(std::numeric_limits<double>::quiet_NaN()).value, 0);
}

}  // namespace
}  // namespace weft
