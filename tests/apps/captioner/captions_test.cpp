#include <apps/captioner/captions.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <apps/captioner/random_captions.h>
#include <weft/base/error.h>

namespace weft::captioner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<CaptionedImage> two{{1, {0.1f, 0.2f, 0.3f}, {5, 6, 2}}, {1, {0.4f, 0.5f, 0.6f}, {7, 2}}};

TEST(CaptionCollator, LabelsAreOnePlaceAheadOfTokens) {
  const CaptionBatch batch = CaptionCollator(data::PaddingPolicy::fixed(4))(two);
  EXPECT_EQ(batch.images.shape(), (Shape{2, 3, 1, 1}));
  EXPECT_THAT(batch.images.to_vector<float>(), ElementsAre(0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f));
  EXPECT_THAT(batch.tokens.to_vector<std::int32_t>(), ElementsAre(1, 5, 6, 0, 1, 7, 0, 0));
  EXPECT_THAT(batch.labels.to_vector<std::int32_t>(), ElementsAre(5, 6, 2, -100, 7, 2, -100, -100));
}

TEST(CaptionCollator, Mistakes) {
  const CaptionCollator collate(data::PaddingPolicy::buckets({1, 2}));
  EXPECT_THAT([&] { collate(two); }, ThrowsMessage<Error>(AllOf(HasSubstr("3"), HasSubstr("largest bucket, 2"))));
  EXPECT_THAT([&] { collate({}); }, ThrowsMessage<Error>(HasSubstr("no samples")));
  std::vector<CaptionedImage> different = two;
  different[1].size = 2;
  EXPECT_THAT([&] { CaptionCollator(data::PaddingPolicy::longest())(different); },
              ThrowsMessage<Error>(HasSubstr("pictures of 1 and 2 pixels")));
  std::vector<CaptionedImage> silent = two;
  silent[1].caption.clear();
  EXPECT_THAT([&] { CaptionCollator(data::PaddingPolicy::longest())(silent); },
              ThrowsMessage<Error>(HasSubstr("the caption of sample 1 of the batch is empty")));
}

// The distribution of the article: 0.90 U{5..31}, 0.09 U{33..63}, 0.01 U{65..255}, plus an end token.
TEST(RandomCaptions, LengthsFollowTheLaw) {
  const RandomCaptions captions(1, 20'000, 1);
  int shorter = 0, middle = 0, longer = 0;
  double sum = 0;
  for (std::int64_t i = 0; i < captions.size(); ++i) {
    const CaptionedImage sample = captions[i];
    const std::size_t words = sample.caption.size() - 1;
    EXPECT_EQ(sample.caption.back(), end_token);
    EXPECT_TRUE((words >= 5 && words <= 31) || (words >= 33 && words <= 63) || (words >= 65 && words <= 255)) << words;
    (words < 32 ? shorter : words < 64 ? middle : longer) += 1;
    sum += static_cast<double>(words + 1);
    for (std::size_t place = 0; place < words; ++place)
      EXPECT_TRUE(sample.caption[place] >= 1 && sample.caption[place] < 1024);
  }
  EXPECT_NEAR(shorter / 20'000., 0.90, 0.01);
  EXPECT_NEAR(middle / 20'000., 0.09, 0.01);
  EXPECT_NEAR(longer / 20'000., 0.01, 0.003);
  EXPECT_NEAR(sum / 20'000., 23.1, 0.6);
  const CaptionedImage a = captions[77], b = RandomCaptions(1, 100, 1)[77], c = RandomCaptions(2, 100, 1)[77];
  EXPECT_EQ(a.image, b.image);
  EXPECT_EQ(a.caption, b.caption);
  EXPECT_NE(a.image, c.image);
  EXPECT_LE(RandomCaptions(1, 100, 1, 1024, 16)[77].caption.size(), 16u);
}

}  // namespace
}  // namespace weft::captioner
