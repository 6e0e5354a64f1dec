#include <weft/data/png.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>

namespace weft::data {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

RgbImage gradient() {
  RgbImage image(17, 5);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = static_cast<std::uint8_t>(7 * i);
  return image;
}

TEST(Png, ThereAndBack) {
  const std::vector<std::byte> file = encode_png(gradient());
  EXPECT_EQ(static_cast<char>(file[1]), 'P');
  const RgbImage image = decode_png(file);
  EXPECT_EQ(image.width, 17);
  EXPECT_EQ(image.height, 5);
  EXPECT_EQ(image.bytes, gradient().bytes);
}

TEST(Png, WhatIsNone) {
  EXPECT_THAT([] { decode_png({}); }, ThrowsMessage<Error>(HasSubstr("decode_png")));
  EXPECT_THAT([] { decode_png(std::vector<std::byte>(100, std::byte{'x'})); },
              ThrowsMessage<Error>(HasSubstr("decode_png")));
  std::vector<std::byte> file = encode_png(gradient());
  for (std::size_t length = 0; length < file.size() - 12; ++length)
    EXPECT_THROW(decode_png(std::vector<std::byte>(file.begin(), file.begin() + length)), Error);
  EXPECT_THAT([] { RgbImage(0, 5); }, ThrowsMessage<Error>(HasSubstr("0 x 5")));
}

}  // namespace
}  // namespace weft::data
