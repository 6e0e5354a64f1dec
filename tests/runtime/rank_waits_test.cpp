// The names of spans that tell for which rank another one waited.
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

}  // namespace
}  // namespace weft::runtime
