#include <apps/lab/recompile.h>

#include <gtest/gtest.h>

namespace weft::lab {
namespace {

TEST(LabRecompile, ALowerRateIsSlower) {
  EXPECT_EQ(change_of_speed(100, 250), "2.5 x faster");
  EXPECT_EQ(change_of_speed(100, 80), "1.2 x slower");
  EXPECT_EQ(change_of_speed(100, 96), "as fast");
}

}  // namespace
}  // namespace weft::lab
