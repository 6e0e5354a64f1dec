#include <weft/ir/array.h>

#include <bit>
#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/element_text.h>

namespace weft::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Array, HoldsElementsInRowMajorOrder) {
  Array a = Array::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(a.type(), Type(DType::f32, {2, 3}));
  EXPECT_THAT(a.data<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(a.element(4), 5);
  a.data<float>()[4] = 7;
  EXPECT_EQ(a.element(4), 7);
}

TEST(Array, StartsAsZeros) {
  EXPECT_EQ(Array(Type(DType::i16, {3})), Array::of<std::int16_t>({3}, {0, 0, 0}));
  EXPECT_EQ(Array(Type(DType::f64, {3, 0})).size(), 0);
  EXPECT_EQ(Array(Type(DType::f64, {})).size(), 1);
}

TEST(Array, SplatConverts) {
  EXPECT_EQ(Array::splat(Type(DType::u8, {2}), 300), Array::of<std::uint8_t>({2}, {255, 255}));
  EXPECT_EQ(Array::splat(Type(DType::bf16, {1}), 1.01), Array::of<bfloat16>({1}, {1.0078125}));
  EXPECT_EQ(Array::splat(Type(DType::boolean, {}), 0.5), Array::scalar<bool>(true));
}

TEST(Array, SpreadsASplatLiteral) {
  const Array one = Array::scalar<std::int32_t>(7);
  EXPECT_EQ(Array(Literal{Type(DType::i32, {3}), one.bytes()}), Array::of<std::int32_t>({3}, {7, 7, 7}));
  EXPECT_EQ(Array(Literal{Type(DType::i32, {0}), one.bytes()}).size(), 0);
  const Array all = Array::of<std::int32_t>({2}, {1, 2});
  EXPECT_EQ(Array(all.literal()), all);
}

TEST(Array, ComparesBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Array::scalar<float>(nan), Array::scalar<float>(nan));
  EXPECT_NE(Array::scalar<float>(0.0), Array::scalar<float>(-0.0));
  EXPECT_NE(Array::of<float>({1}, {1}), Array::of<float>({1, 1}, {1}));
}

TEST(Array, RefusesWhatDoesNotFit) {
  EXPECT_THAT([] { Array::of<float>({2}, {1}); }, ThrowsMessage<Error>(HasSubstr("tensor<2xf32> of 1 elements")));
  EXPECT_THAT([] { Array(Type(DType::f32, {2}), std::vector<std::byte>(7)); },
              ThrowsMessage<Error>(HasSubstr("cannot have 7 bytes")));
  EXPECT_THAT([] { Array(Type(DType::f32, {Dim::symbol("n")})); }, ThrowsMessage<Error>(HasSubstr("must be static")));
  EXPECT_THAT([] { Array(Type(DType::i8, {std::int64_t{1} << 50})); },
              ThrowsMessage<Error>(HasSubstr("no memory for")));
  EXPECT_THROW(static_cast<void>(Array::scalar<float>(1).data<std::int32_t>()), InternalError);
}

TEST(Array, Prints) {
  EXPECT_EQ(concat(Array::of<float>({2}, {1, -0.5})), "tensor<2xf32> [1, -0.5]");
  EXPECT_EQ(concat(Array::of<std::int8_t>({1}, {65})), "tensor<1xi8> [65]");
  EXPECT_THAT(concat(Array(Type(DType::i8, {100}))), HasSubstr(", ...]"));
  EXPECT_EQ(concat(Array::of<bool>({2}, {true, false})), "tensor<2xi1> [true, false]");
}

TEST(Array, ElementsAsTextAreExact) {
  const auto text = []<class T>(T, Array::Given<T> value) { return element_text(Array::scalar<T>(value), 0); };
  EXPECT_EQ(text(std::int64_t{}, std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text(std::uint64_t{}, std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(text(std::int32_t{}, 1234567), "1234567");
  EXPECT_EQ(text(float{}, 0.1f), "0.1");
  EXPECT_EQ(text(float{}, 16777216.f), "16777216");
  EXPECT_EQ(text(float{}, 1.f / 3), "0.33333334");
  EXPECT_EQ(text(double{}, 1. / 3), "0.3333333333333333");
  EXPECT_EQ(text(double{}, 100000), "100000");
  EXPECT_EQ(text(double{}, 1e300), "1e+300");
  EXPECT_EQ(text(double{}, 5e-324), "5e-324");
  EXPECT_EQ(text(double{}, -0.0), "-0");
  EXPECT_EQ(text(float16{}, 0.1), "0.1");
  EXPECT_EQ(text(float16{}, 65504), "65504");
  EXPECT_EQ(text(bfloat16{}, 3.140625), "3.14");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(text(double{}, -infinity) + text(float{}, std::numeric_limits<float>::quiet_NaN()), "-infnan");
  EXPECT_EQ(element_text(Array(Type(DType::i4, {1})), 0) + element_text(Array(Type(DType::f8E5M2, {1})), 0), "00");
}

TEST(Array, ElementsAsTextReadBackTheSame) {
  for (std::uint32_t bits = 0; bits < 0x7F800000; bits += 0x10007) {
    const float value = std::bit_cast<float>(bits);
    EXPECT_EQ(std::strtof(element_text(Array::scalar<float>(value), 0).c_str(), nullptr), value);
  }
}

}  // namespace
}  // namespace weft::ir
