#include <weft/base/bucketing.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>

namespace weft {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Bucketing, TheSmallestBucketThatHoldsALength) {
  const Bucketing buckets{32, 64, 100};
  EXPECT_EQ(buckets.size_for(0), 32);
  EXPECT_EQ(buckets.size_for(32), 32);
  EXPECT_EQ(buckets.size_for(33), 64);
  EXPECT_EQ(buckets.size_for(100), 100);
  EXPECT_TRUE(buckets.contains(64));
  EXPECT_FALSE(buckets.contains(63));
  EXPECT_EQ(buckets.text(), "32, 64 or 100");
}

TEST(Bucketing, ALengthBeyondTheLargestNamesBoth) {
  EXPECT_THAT([] { (Bucketing{32, 64}.size_for(65)); },
              ThrowsMessage<Error>(AllOf(HasSubstr("length of 65"), HasSubstr("largest bucket, 64"))));
}

TEST(Bucketing, SizesThatAreNoBuckets) {
  EXPECT_THROW((Bucketing{std::vector<std::int64_t>()}), Error);
  EXPECT_THROW((Bucketing{0, 4}), Error);
  EXPECT_THROW((Bucketing{8, 8}), Error);
  EXPECT_THROW((Bucketing{8, 4}), Error);
}

}  // namespace
}  // namespace weft
