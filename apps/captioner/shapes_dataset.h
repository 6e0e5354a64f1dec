// Pictures of one or two coloured shapes, each with the only sentence that is true of it:
//   a large red circle at the bottom left
//   a small blue cross above a large yellow square
// The picture determines the sentence: of two shapes, the one on the left is named first, or the upper one if their vertical
// distance is larger. Every tenth sentence is held out: training never shows a picture of it, only of its parts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <apps/captioner/captions.h>
#include <weft/base/draws.h>

namespace weft::captioner {

// A shape in a picture of size 1 whose origin is the upper left corner.
struct ColouredShape {
  int size = 0, colour = 0, shape = 0;  // indices into the lists of words
  double x = 0, y = 0;                  // centre
  double radius() const;                // the shape extends at most this far from the centre in x and y
};

// The content of a picture.
struct Scene {
  std::vector<ColouredShape> shapes;  // in the order of the sentence
  std::string sentence;
};

enum class Split : std::uint8_t { training, held_out };

// A sample is a pure function of the seed, the split and its index. Thread-safe.
class ShapesDataset {
 public:
  ShapesDataset(Split split, std::uint64_t seed, std::int64_t samples, std::int64_t image_size);

  std::int64_t size() const { return samples_; }
  CaptionedImage operator[](std::int64_t sample) const;
  Scene scene(std::int64_t sample) const;

  static Split split_of(std::string_view sentence);
  // Words by token; the words of pad_token, start_token and end_token are empty.
  static std::span<const std::string_view> vocabulary();
  static std::vector<std::int32_t> encode(
      std::string_view sentence);  // includes end_token; throws Error for an unknown word
  static std::string decode(std::span<const std::int32_t> tokens);  // up to the first end_token; unknown tokens as <17>
  static constexpr std::int64_t longest = 11;  // length of the longest caption, including end_token

 private:
  Draws draws(std::int64_t sample) const;
  Scene scene(Draws& draws) const;

  Split split_;
  std::uint64_t seed_;
  std::int64_t samples_, image_size_;
};

}  // namespace weft::captioner
