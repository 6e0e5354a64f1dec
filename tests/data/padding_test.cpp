#include <weft/data/padding.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<std::int32_t> a{1, 2, 3}, b{}, c{4};
const std::vector<std::span<const std::int32_t>> sequences{a, b, c};
const std::span<const std::span<const std::int32_t>> all = sequences;

TEST(Padding, ToTheLongest) {
  const Tensor padded = pad_sequences(all, -1);
  EXPECT_EQ(padded.shape(), (Shape{3, 3}));
  EXPECT_THAT(padded.to_vector<std::int32_t>(), ElementsAre(1, 2, 3, -1, -1, -1, 4, -1, -1));
  EXPECT_THAT(lengths_of(all).to_vector<std::int32_t>(), ElementsAre(3, 0, 1));
}

TEST(Padding, ToABucket) {
  const Tensor padded = pad_sequences(all, Bucketing{2, 4, 8}, 0);
  EXPECT_EQ(padded.shape(), (Shape{3, 4}));
  EXPECT_THAT(padded.to_vector<std::int32_t>(), ElementsAre(1, 2, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0));
}

TEST(Padding, WhatDoesNotFit) {
  EXPECT_THAT([] { pad_sequences(all, std::int64_t{2}, 0); },
              ThrowsMessage<Error>(AllOf(HasSubstr("length of 3"), HasSubstr("more than 2"))));
  EXPECT_THAT([] { pad_sequences(all, Bucketing{1, 2}, 0); },
              ThrowsMessage<Error>(AllOf(HasSubstr("length of 3"), HasSubstr("largest bucket, 2"))));
}

}  // namespace
}  // namespace weft::data
