#include <weft/profile/intervals.h>

#include <gtest/gtest.h>

namespace weft::profile {
namespace {

TEST(Intervals, AreMergedAndMeasured) {
  const Intervals set({{10, 20}, {5, 12}, {30, 40}, {20, 25}, {50, 50}});
  ASSERT_EQ(set.parts().size(), 2u);
  EXPECT_EQ(set.parts()[0].begin, 5u);
  EXPECT_EQ(set.parts()[0].end, 25u);
  EXPECT_EQ(set.within(0, 100), 30u);
  EXPECT_EQ(set.within(24, 31), 2u);
  EXPECT_EQ(set.within(25, 30), 0u);
}

TEST(Intervals, AreSubtractedAndIntersected) {
  const Intervals a({{0, 10}, {20, 30}, {40, 50}}), b({{5, 22}, {24, 26}, {45, 60}});
  EXPECT_EQ(a.minus(b).within(0, 100), 5u + 2u + 4u + 5u);
  EXPECT_EQ(a.intersect(b).within(0, 100), 5u + 2u + 2u + 5u);
  EXPECT_EQ(a.minus(a).within(0, 100), 0u);
  EXPECT_EQ(a.minus(Intervals()).within(0, 100), 30u);
}

}  // namespace
}  // namespace weft::profile
