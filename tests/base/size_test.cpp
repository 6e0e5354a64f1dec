#include <weft/base/size.h>

#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

const Size a = size_symbol(0), b = size_symbol(1);

TEST(Size, ConstantsAreNumbersOfAnySign) {
  EXPECT_EQ(Size(3) - Size(5), Size(-2));
  EXPECT_EQ((Size(-4) * Size(6)).value(), -24);
  EXPECT_TRUE(Size(Dim(7)).is(7));
  EXPECT_THROW(static_cast<void>(a.value()), Error);
  EXPECT_EQ(a - a, Size(0));
  EXPECT_TRUE((a - a).is_constant());
  EXPECT_EQ(size_symbol(1), size_symbol(1));
  EXPECT_NE(Size(size_symbol(0)), Size(size_symbol(1)));
}

TEST(Size, ExpressionsAreInNormalForm) {
  EXPECT_EQ((a + b) * (a - b), a * a - b * b);
  EXPECT_EQ(-(a - b), b - a);
  EXPECT_EQ(Size(size_symbol(0) * Dim(3)), a * 3);
  std::ostringstream out;
  out << a * b * 2 - 1;
  EXPECT_EQ(out.str(), "2 * s0 * s1 - 1");
}

TEST(Size, QuotientsAreExactOrNone) {
  EXPECT_EQ(exact_quotient(Size(12), Size(4)), Size(3));
  EXPECT_EQ(exact_quotient(Size(13), Size(4)), std::nullopt);
  EXPECT_EQ(exact_quotient(Size(0), a), Size(0));
  EXPECT_EQ(exact_quotient(a, Size(0)), std::nullopt);
  EXPECT_EQ(exact_quotient(a * b * 6, b * 2), a * 3);
  EXPECT_EQ(exact_quotient(a * b, b + 1), std::nullopt);
  EXPECT_EQ(exact_quotient(a, Size(2)), std::nullopt);
  EXPECT_EQ(exact_quotient(a * a - b * b, a + b), a - b);
  EXPECT_EQ(exact_quotient(a * b + b * 2, a + 2), b);
  EXPECT_EQ(exact_quotient((a + b + 3) * (a * b - 4) * b, a * b - 4), (a + b + 3) * b);
}

TEST(Size, SignsAreShownForAllValues) {
  const std::vector<Size> none, of_a{a}, of_product{a * b * 4};
  EXPECT_TRUE(never_negative(a + b, none));
  EXPECT_FALSE(never_negative(a - 1, none)) << "a may be 0";
  EXPECT_TRUE(never_negative(a - 1, of_a));
  EXPECT_FALSE(never_negative(b - 1, of_a));
  EXPECT_TRUE(never_negative(a * b - b, of_a));
  EXPECT_TRUE(never_negative(a * b - a - b + 1, of_product));
  EXPECT_FALSE(never_negative(a - b, of_product));
  const std::vector<Size> of_sum{a * 5 - 28};
  EXPECT_TRUE(never_negative(a * 5 - 29, of_sum));
  EXPECT_TRUE(never_negative(a * 5 - 29 + b, of_sum));
  EXPECT_FALSE(never_negative(a * 5 - 30, of_sum));
  EXPECT_FALSE(never_negative(Size(-1), none));
}

TEST(Size, ValuesComeTogether) {
  SizeTable table;
  for (const Size size : {a * b, a - 5, Size(7)}) table.add(size);
  const SizeValues values({3, 10}, &table);
  EXPECT_EQ(values(a * b), 30);
  EXPECT_EQ(values(a - 5), -2);
  EXPECT_EQ(values(Size(7)), 7);
  EXPECT_EQ(values(b * b + 1), 101) << "not in the table";
  EXPECT_EQ(values(Type(DType::f32, {size_symbol(1), Dim(4)})), Type(DType::f32, {10, 4}));
  EXPECT_EQ(SizeValues({0, 0}, &table)(a * b), 0);
  EXPECT_THROW(table.add(Dim::symbol("other")), Error);
}

}  // namespace
}  // namespace weft
