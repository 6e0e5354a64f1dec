#include <weft/base/convert.h>

#include <limits>

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(ConvertElement, FloatToIntegerRoundsTowardsZeroAndSaturates) {
  EXPECT_EQ(convert_element<std::int8_t>(1.9), 1);
  EXPECT_EQ(convert_element<std::int8_t>(-1.9f), -1);
  EXPECT_EQ(convert_element<std::int8_t>(127.9), 127);
  EXPECT_EQ(convert_element<std::int8_t>(128.0), 127);
  EXPECT_EQ(convert_element<std::int8_t>(-128.9), -128);
  EXPECT_EQ(convert_element<std::int8_t>(-infinity), -128);
  EXPECT_EQ(convert_element<std::uint8_t>(-0.5), 0);
  EXPECT_EQ(convert_element<std::uint8_t>(-7.0), 0);
  EXPECT_EQ(convert_element<std::uint8_t>(bfloat16(300)), 255);
  EXPECT_EQ(convert_element<std::int32_t>(nan), 0);
}

TEST(ConvertElement, IsExactAtTheEndsOf64Bits) {
  constexpr double below_2_63 = 9223372036854774784.0, below_2_64 = 18446744073709549568.0;
  EXPECT_EQ(convert_element<std::int64_t>(below_2_63), 9223372036854774784);
  EXPECT_EQ(convert_element<std::int64_t>(9223372036854775808.0), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(convert_element<std::int64_t>(-9223372036854775808.0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(convert_element<std::uint64_t>(9223372036854775808.0), 9223372036854775808u);
  EXPECT_EQ(convert_element<std::uint64_t>(below_2_64), 18446744073709549568u);
  EXPECT_EQ(convert_element<std::uint64_t>(18446744073709551616.0), std::numeric_limits<std::uint64_t>::max());
}

TEST(ConvertElement, IntegersWrap) {
  EXPECT_EQ(convert_element<std::int8_t>(std::int32_t{200}), -56);
  EXPECT_EQ(convert_element<std::uint16_t>(std::int8_t{-1}), 65535);
  EXPECT_EQ(convert_element<std::int64_t>(std::numeric_limits<std::uint64_t>::max()), -1);
}

TEST(ConvertElement, ToBooleanIsNotZero) {
  EXPECT_TRUE(convert_element<bool>(0.25));
  EXPECT_TRUE(convert_element<bool>(nan));
  EXPECT_TRUE(convert_element<bool>(std::int32_t{256}));
  EXPECT_FALSE(convert_element<bool>(-0.0));
  EXPECT_FALSE(convert_element<bool>(bfloat16(0)));
  EXPECT_EQ(convert_element<float>(true), 1.0f);
  EXPECT_EQ(convert_element<std::int8_t>(true), 1);
}

TEST(ConvertElement, RoundsIntegersOnce) {
  // 2^24 + 1 is a tie in float; a little more is not, though double would round it to the tie.
  EXPECT_EQ(convert_element<float>(std::int64_t{16777217}), 16777216.0f);
  constexpr std::int64_t above_a_tie = (std::int64_t{1} << 62) + (std::int64_t{1} << 38) + 1;
  EXPECT_EQ(convert_element<float>(above_a_tie), 0x1.000002p62f);
  constexpr std::int64_t above_a_tie_of_bf16 = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
  EXPECT_EQ(static_cast<double>(convert_element<bfloat16>(above_a_tie_of_bf16)), 0x1.02p62);
  EXPECT_EQ(static_cast<double>(convert_element<bfloat16>(-above_a_tie_of_bf16)), -0x1.02p62);
  EXPECT_EQ(static_cast<double>(convert_element<bfloat16>(std::int64_t{257})), 256);
  EXPECT_EQ(static_cast<double>(convert_element<bfloat16>(std::numeric_limits<std::uint64_t>::max())), 0x1p64);
  EXPECT_EQ(static_cast<double>(convert_element<bfloat16>(std::numeric_limits<std::int64_t>::min())), -0x1p63);
  EXPECT_EQ(static_cast<double>(convert_element<float16>(std::int32_t{65504})), 65504);
  EXPECT_EQ(static_cast<double>(convert_element<float16>(std::int32_t{70000})), infinity);
}

TEST(ConvertElement, RoundsFloatsOnce) {
  // The value exceeds a tie between two bfloat16 numbers by less than a float can represent.
  EXPECT_EQ(static_cast<double>(convert_element<bfloat16>(1 + 0x1p-8 + 0x1p-40)), 1 + 0x1p-7);
  EXPECT_EQ(convert_element<float>(1 + 0x1p-24), 1.0f);
  EXPECT_EQ(static_cast<double>(convert_element<float16>(bfloat16(0.5))), 0.5);
}

}  // namespace
}  // namespace weft
