#include <weft/ir/array.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}

}  // namespace
}  // namespace weft::ir
