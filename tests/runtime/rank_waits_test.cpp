// Spans that tell for which rank another one waited.
#include <weft/runtime/rank_waits.h>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

TEST(RankWait, IsReadFromItsName) {
  const RankWait wait{12, 3};
  EXPECT_EQ(wait.name(), "rank 12 waits for rank 3");
  EXPECT_EQ(RankWait::parse(wait.name()), wait);
  for (const char* wrong :
       {"", "rank", "rank 1", "rank x waits for rank 3", "rank 1 waits for rank", "rank 1 waits for rank 3 ",
        "rank 1 waits for rank -3", "rank 99999999999 waits for rank 1"})
    EXPECT_FALSE(RankWait::parse(wrong)) << wrong;
}

TEST(RankWait, IsASpanIfItIsLongAndEndsAfterItBegins) {
  constexpr std::uint64_t now = 1'000'000;
  EXPECT_TRUE(is_worth_a_span(now - 20'000, now));
  EXPECT_FALSE(is_worth_a_span(now - 19'999, now));
  EXPECT_FALSE(is_worth_a_span(now + 1, now)) << "another rank has written its time later";
  EXPECT_FALSE(is_worth_a_span(0, now)) << "there is no wait";
}

}  // namespace
}  // namespace weft::runtime
