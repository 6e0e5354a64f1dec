// Reads and writes images as PNG files, with libpng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::data {

// An image as red, green and blue of each pixel, row by row.
struct RgbImage {
  RgbImage() = default;
  RgbImage(std::int64_t width, std::int64_t height);  // black; throws Error unless both are positive

  std::uint8_t* pixel(std::int64_t x, std::int64_t y) { return bytes.data() + 3 * (y * width + x); }
  const std::uint8_t* pixel(std::int64_t x, std::int64_t y) const { return bytes.data() + 3 * (y * width + x); }

  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> bytes;
};

// Returns the bytes of a PNG file.
std::vector<std::byte> encode_png(const RgbImage& image);
// Throws Error if the bytes are not a PNG file or the image has more than 2^26 pixels. Transparent images are blended
// onto black.
RgbImage decode_png(const std::vector<std::byte>& file);

}  // namespace weft::data
