#include <weft/data/png.h>

#include <png.h>

#include <weft/base/error.h>

namespace weft::data {

namespace {

constexpr std::uint64_t most_pixels = std::uint64_t{1} << 26;

// Wraps libpng's simplified interface, which does not longjmp and stores its error message.
class Png {
 public:
  Png() { image_.version = PNG_IMAGE_VERSION; }
  ~Png() { png_image_free(&image_); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

  png_image* get() { return &image_; }
  png_image* operator->() { return &image_; }
  void require_done(int done, const char* function) const {
    require(done != 0, function, ": ", static_cast<const char*>(image_.message));
  }

 private:
  png_image image_{};
};

}  // namespace

RgbImage::RgbImage(std::int64_t wide, std::int64_t high) : width(wide), height(high) {
  require(width > 0 && height > 0, "RgbImage: a picture of ", width, " x ", height, " pixels");
  bytes.resize(3 * width * height);
}

std::vector<std::byte> encode_png(const RgbImage& image) {
  Png png;
  png->width = image.width;
  png->height = image.height;
  png->format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(*png.get());
  std::vector<std::byte> file(size);
  png.require_done(png_image_write_to_memory(png.get(), file.data(), &size, 0, image.bytes.data(), 0, nullptr),
                   "encode_png");
  file.resize(size);
  return file;
}

RgbImage decode_png(const std::vector<std::byte>& file) {
  Png png;
  png.require_done(png_image_begin_read_from_memory(png.get(), file.data(), file.size()), "decode_png");
  require(std::uint64_t{png->width} * png->height <= most_pixels, "decode_png: ", png->width, " x ", png->height,
          " pixels are too many");
  png->format = PNG_FORMAT_RGB;
  RgbImage image(png->width, png->height);
  const png_color black{};
  png.require_done(png_image_finish_read(png.get(), &black, image.bytes.data(), 0, nullptr), "decode_png");
  return image;
}

}  // namespace weft::data
