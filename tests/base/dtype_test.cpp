#include <weft/base/dtype.h>

#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

std::vector<DType> all() {
  std::vector<DType> types;
  for (int i = 0; i < dtype_count; ++i) types.push_back(static_cast<DType>(i));
  return types;
}

TEST(DType, NamesAreInverted) {
  for (const DType t : all()) EXPECT_EQ(parse_dtype(name(t)), t);
  EXPECT_EQ(name(DType::boolean), "i1");
  EXPECT_EQ(name(DType::u8), "ui8");
  EXPECT_EQ(parse_dtype("f8"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, EveryTypeIsOfOneClass) {
  for (const DType t : all()) {
    EXPECT_EQ((t == DType::boolean) + is_float(t) + is_signed_integer(t) + is_unsigned_integer(t), 1) << t;
    EXPECT_EQ(is_integer(t), is_signed_integer(t) || is_unsigned_integer(t)) << t;
  }
}

TEST(DType, VisitGivesTheCppType) {
  for (const DType t : all()) {
    visit(t, [t](auto tag) {
      using T = decltype(tag);
      EXPECT_EQ(dtype_of<T>, t);
      EXPECT_EQ(sizeof(T), static_cast<std::size_t>(byte_size(t)));
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        EXPECT_EQ(std::is_signed_v<T>, is_signed_integer(t));
      }
    });
  }
}

TEST(Promote, IsSymmetricAndIdempotent) {
  for (const DType a : all()) {
    EXPECT_EQ(promote(a, a), a);
    for (const DType b : all()) EXPECT_EQ(promote(a, b), promote(b, a)) << a << ' ' << b;
  }
}

TEST(Promote, IsAssociativeButForMixedU64AndShortFloats) {
  for (const DType a : all()) {
    for (const DType b : all()) {
      for (const DType c : all()) {
        const auto any = [&](auto is) { return is(a) || is(b) || is(c); };
        const bool exception = any([](DType t) { return t == DType::u64; }) && any(is_signed_integer) &&
                               any([](DType t) { return t == DType::f16 || t == DType::bf16; });
        if (!exception) {
          EXPECT_EQ(promote(promote(a, b), c), promote(a, promote(b, c))) << a << ' ' << b << ' ' << c;
        }
      }
    }
  }
}

TEST(Promote, HoldsBothIntegers) {
  for (const DType a : all()) {
    for (const DType b : all()) {
      if (!is_integer(a) || !is_integer(b)) continue;
      const DType t = promote(a, b);
      if (is_float(t)) {
        EXPECT_TRUE(a == DType::u64 || b == DType::u64);
        continue;
      }
      for (const DType from : {a, b}) {
        const int digits = 8 * byte_size(t) - is_signed_integer(t),
                  needed = 8 * byte_size(from) - is_signed_integer(from);
        EXPECT_GE(digits, needed) << a << ' ' << b << " -> " << t;
        EXPECT_TRUE(is_signed_integer(t) || is_unsigned_integer(from)) << a << ' ' << b << " -> " << t;
      }
    }
  }
}

TEST(Promote, FollowsJax) {
  EXPECT_EQ(promote(DType::boolean, DType::u8), DType::u8);
  EXPECT_EQ(promote(DType::i8, DType::u8), DType::i16);
  EXPECT_EQ(promote(DType::i8, DType::u32), DType::i64);
  EXPECT_EQ(promote(DType::i64, DType::u32), DType::i64);
  EXPECT_EQ(promote(DType::i8, DType::u64), DType::f32);
  EXPECT_EQ(promote(DType::i64, DType::f16), DType::f16);
  EXPECT_EQ(promote(DType::f16, DType::bf16), DType::f32);
  EXPECT_EQ(promote(DType::bf16, DType::f64), DType::f64);
}

}  // namespace
}  // namespace weft
