#include <apps/captioner/shapes_dataset.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>

namespace weft::captioner {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t many = 3000;

std::set<std::string> sentences(Split split, std::uint64_t seed) {
  const ShapesDataset shapes(split, seed, many, 16);
  std::set<std::string> found;
  for (std::int64_t i = 0; i < many; ++i) found.insert(shapes.scene(i).sentence);
  return found;
}

TEST(ShapesDataset, ASampleFollowsFromSeedSplitAndIndexAlone) {
  const ShapesDataset shapes(Split::training, 3, 64, 24), again(Split::training, 3, 64, 24),
      other(Split::training, 4, 64, 24);
  std::vector<CaptionedImage> made(64);
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t i = t; i < 64; i += 4) made[i] = shapes[i];
    });
  for (std::thread& thread : threads) thread.join();
  int differ = 0;
  for (std::int64_t i = 63; i >= 0; --i) {
    const CaptionedImage sample = again[i], &threaded = made[i];
    EXPECT_EQ(sample.image, threaded.image);
    EXPECT_EQ(sample.caption, threaded.caption);
    EXPECT_EQ(ShapesDataset::decode(sample.caption), shapes.scene(i).sentence);
    differ += other[i].image != sample.image;
  }
  EXPECT_EQ(differ, 64);
}

TEST(ShapesDataset, HeldOutSentencesNeverOccurInTraining) {
  const std::set<std::string> training = sentences(Split::training, 1), held_out = sentences(Split::held_out, 1);
  EXPECT_GT(training.size(), 1000u);
  EXPECT_GT(held_out.size(), 200u);
  for (const std::string& sentence : held_out) {
    EXPECT_FALSE(training.contains(sentence)) << sentence;
    EXPECT_EQ(ShapesDataset::split_of(sentence), Split::held_out);
  }
  // But every word of the held-out sentences occurs in training.
  std::set<std::int32_t> words;
  for (const std::string& sentence : training)
    for (const std::int32_t word : ShapesDataset::encode(sentence)) words.insert(word);
  EXPECT_EQ(words.size(), ShapesDataset::vocabulary().size() - 2) << "all but padding and start";
}

// The picture shows what the sentence says.
TEST(ShapesDataset, SentencesAreTrue) {
  const ShapesDataset shapes(Split::training, 2, many, 32);
  for (std::int64_t i = 0; i < many; ++i) {
    const Scene scene = shapes.scene(i);
    for (const ColouredShape& shape : scene.shapes) {
      for (const double place : {shape.x, shape.y}) {
        EXPECT_GE(place - shape.radius(), 0) << scene.sentence;
        EXPECT_LE(place + shape.radius(), 1) << scene.sentence;
      }
    }
    EXPECT_LE(ShapesDataset::encode(scene.sentence).size(), std::size_t{ShapesDataset::longest});
    if (scene.shapes.size() == 1) {
      const auto says = [&](const char* word) { return scene.sentence.find(word) != std::string::npos; };
      const ColouredShape& shape = scene.shapes[0];
      EXPECT_EQ(says("left"), shape.x < 0.4) << scene.sentence;
      EXPECT_EQ(says("bottom"), shape.y > 0.6) << scene.sentence;
      EXPECT_EQ(says("middle"), shape.x > 0.4 && shape.x < 0.6) << scene.sentence;
      continue;
    }
    const double dx = scene.shapes[1].x - scene.shapes[0].x, dy = scene.shapes[1].y - scene.shapes[0].y;
    const bool above = scene.sentence.find(" above ") != std::string::npos;
    EXPECT_GE(above ? dy : dx, 0.39) << scene.sentence;
    EXPECT_LE(std::abs(above ? dx : dy), 0.21) << scene.sentence;
    EXPECT_GT(std::hypot(dx, dy), scene.shapes[0].radius() + scene.shapes[1].radius()) << scene.sentence;
  }
}

TEST(ShapesDataset, PicturesShowTheColour) {
  const ShapesDataset shapes(Split::training, 5, 200, 32);
  int reds = 0;
  for (std::int64_t i = 0; i < 200; ++i) {
    const Scene scene = shapes.scene(i);
    const ColouredShape& shape = scene.shapes[0];
    const CaptionedImage sample = shapes[i];
    const auto pixel = [&](int channel) {
      const auto at = [](double place) { return static_cast<std::size_t>(place * 32); };
      return sample.image[static_cast<std::size_t>(channel) * 32 * 32 + at(shape.y) * 32 + at(shape.x)];
    };
    if (shape.colour != 0) continue;  // red
    ++reds;
    EXPECT_GT(pixel(0), pixel(1) + 0.5f) << scene.sentence;
    EXPECT_GT(pixel(0), pixel(2) + 0.5f) << scene.sentence;
  }
  EXPECT_GT(reds, 10);
}

TEST(ShapesDataset, WordsThereAndBack) {
  const std::vector<std::int32_t> tokens = ShapesDataset::encode("a small red circle above a large white cross");
  EXPECT_EQ(tokens.back(), end_token);
  EXPECT_EQ(ShapesDataset::decode(tokens), "a small red circle above a large white cross");
  EXPECT_EQ(ShapesDataset::decode(std::vector<std::int32_t>{1, 3, 999}), "<1> a <999>");
  EXPECT_THAT([] { ShapesDataset::encode("a pink circle"); }, ThrowsMessage<Error>(HasSubstr("unknown word pink")));
  const ShapesDataset shapes(Split::training, 5, 2, 32);
  EXPECT_THAT([&] { shapes[2]; }, ThrowsMessage<Error>(HasSubstr("sample 2 of 2")));
  EXPECT_THAT([] { ShapesDataset(Split::training, 5, 2, 8); }, ThrowsMessage<Error>(HasSubstr("16 are the least")));
}

}  // namespace
}  // namespace weft::captioner
