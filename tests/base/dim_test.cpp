#include <weft/base/dim.h>

#include <functional>
#include <limits>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr auto unbounded = std::numeric_limits<std::int64_t>::max();

TEST(Dim, ConstantsAreNumbers) {
  EXPECT_EQ(Dim(3) + Dim(4), Dim(7));
  EXPECT_EQ(Dim(3) * Dim(4), Dim(12));
  EXPECT_EQ(Dim(7) - Dim(4), Dim(3));
  EXPECT_EQ(floor_divide(Dim(7), Dim(2)), Dim(3));
  EXPECT_EQ(Dim(5).value(), 5);
  EXPECT_EQ(Dim(5).min(), 5);
  EXPECT_EQ(Dim(5).max(), 5);
  EXPECT_EQ(Dim(5).divisor(), 5);
  EXPECT_THROW(Dim(3) - Dim(4), Error);
  EXPECT_THROW(floor_divide(Dim(3), Dim(0)), Error);
}

TEST(Dim, SymbolsAreDistinct) {
  const Dim a = Dim::symbol("n"), b = Dim::symbol("n");
  EXPECT_NE(a, b);
  EXPECT_FALSE(a.is_constant());
  EXPECT_THROW(static_cast<void>(a.value()), Error);
  EXPECT_THROW(Dim::symbol(""), Error);
  EXPECT_THROW(Dim::symbol("n", 5, 4), Error);
  EXPECT_THROW(Dim::symbol("n", -1, 4), Error);
  EXPECT_THROW(floor_divide(a, b), Error);
}

TEST(Dim, EqualExpressionsAreOne) {
  const Dim a = Dim::symbol("a"), b = Dim::symbol("b"), c = Dim::symbol("c");
  EXPECT_EQ(a + b, b + a);
  EXPECT_EQ((a + b) + c, a + (b + c));
  EXPECT_EQ(a * b, b * a);
  EXPECT_EQ((a * b) * c, a * (b * c));
  EXPECT_EQ(a * (b + c), a * b + a * c);
  EXPECT_EQ((a + b) * (a + b), a * a + Dim(2) * a * b + b * b);
  EXPECT_EQ(a - a, Dim(0));
  EXPECT_EQ(a + b - b, a);
  EXPECT_EQ(a * Dim(0), Dim(0));
  EXPECT_EQ(a * Dim(1), a);
  EXPECT_EQ(a + Dim(0), a);
  EXPECT_NE(a + Dim(1), a);
}

TEST(Dim, FloorDivisionIsInNormalForm) {
  const Dim a = Dim::symbol("a"), b = Dim::symbol("b");
  EXPECT_EQ(floor_divide(Dim(4) * a, Dim(4)), a);
  EXPECT_EQ(floor_divide(Dim(4) * a + Dim(7), Dim(4)), a + Dim(1));
  EXPECT_EQ(floor_divide(Dim(4) * a - Dim(1), Dim(4)), a - Dim(1));
  EXPECT_EQ(floor_divide(a, Dim(4)), floor_divide(a, Dim(4)));
  EXPECT_EQ(floor_divide(a + Dim(4), Dim(4)), floor_divide(a, Dim(4)) + Dim(1));
  EXPECT_EQ(floor_divide(Dim(5) * a, Dim(4)), a + floor_divide(a, Dim(4)));
  EXPECT_NE(floor_divide(a, Dim(4)), floor_divide(b, Dim(4)));
  EXPECT_EQ(floor_divide(Dim::symbol("small", 0, 3), Dim(4)), Dim(0));
}

TEST(Dim, BoundsFollowTheSymbols) {
  const Dim a = Dim::symbol("a", 2, 10), b = Dim::symbol("b", 3, 5), free = Dim::symbol("free");
  EXPECT_EQ((a + b).min(), 5);
  EXPECT_EQ((a + b).max(), 15);
  EXPECT_EQ((a * b).min(), 6);
  EXPECT_EQ((a * b).max(), 50);
  EXPECT_EQ((Dim(20) - a).min(), 10);
  EXPECT_EQ((Dim(20) - a).max(), 18);
  EXPECT_EQ((a - b).min(), 0);  // a size is never negative
  EXPECT_EQ((a - b).max(), 7);
  EXPECT_EQ(floor_divide(a, Dim(3)).min(), 0);
  EXPECT_EQ(floor_divide(a, Dim(3)).max(), 3);
  EXPECT_EQ(free.max(), unbounded);
  EXPECT_EQ((free * free + a).max(), unbounded);
  EXPECT_EQ((free - a).max(), unbounded);
  EXPECT_EQ((a - free).min(), 0);
}

TEST(Dim, HugeBoundsDoNotOverflow) {
  const Dim a = Dim::symbol("a", 0, unbounded - 1), b = Dim::symbol("b", 0, unbounded - 1);
  EXPECT_EQ((a + b).max(), unbounded);
  EXPECT_EQ((Dim(7) * a).max(), unbounded);
  EXPECT_EQ((Dim(100) + a - Dim(8) * b - a * b).min(), 0);
  EXPECT_EQ((a * Dim(unbounded) * Dim(3)).max(), unbounded);
}

TEST(Dim, DivisorsAlwaysDivide) {
  const Dim a = Dim::symbol("a", 0, unbounded, 8), b = Dim::symbol("b", 0, unbounded, 12);
  EXPECT_EQ(a.divisor(), 8);
  EXPECT_EQ((a + b).divisor(), 4);
  EXPECT_EQ((a * b).divisor(), 96);
  EXPECT_EQ((a + Dim(2)).divisor(), 2);
  EXPECT_EQ(Dim(0).divisor(), 0);
}

TEST(Dim, PrintsAsWritten) {
  const auto text = [](Dim d) {
    std::ostringstream out;
    out << d;
    return out.str();
  };
  const Dim batch = Dim::symbol("batch"), time = Dim::symbol("time");
  EXPECT_EQ(text(Dim(64)), "64");
  EXPECT_EQ(text(batch), "batch");
  EXPECT_EQ(text(batch * Dim(2) + Dim(1)), "2 * batch + 1");
  EXPECT_EQ(text(batch * time), "batch * time");
  EXPECT_EQ(text(floor_divide(batch, Dim(2))), "floor((batch) / 2)");
}

}  // namespace
}  // namespace weft
