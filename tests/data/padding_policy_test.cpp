#include <weft/data/padding_policy.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(PaddingPolicy, Lengths) {
  EXPECT_EQ(PaddingPolicy::longest().length_for(13), 13);
  EXPECT_EQ(PaddingPolicy::multiple_of(8).length_for(13), 16);
  EXPECT_EQ(PaddingPolicy::multiple_of(8).length_for(16), 16);
  EXPECT_EQ(PaddingPolicy::buckets({8, 32}).length_for(9), 32);
  EXPECT_EQ(PaddingPolicy::fixed(64).length_for(9), 64);
  EXPECT_THAT([] { PaddingPolicy::multiple_of(0); }, ThrowsMessage<Error>(HasSubstr("must be positive, got 0")));
}

}  // namespace
}  // namespace weft::data
