// Noise with captions of random words, for measurements: nothing can be learned, but the lengths are those of captions.
#pragma once

#include <cstdint>

#include <apps/captioner/captions.h>

namespace weft::captioner {

// A sample is a pure function of the seed and its index. Thread-safe.
class RandomCaptions {
 public:
  // The pixels are normally distributed. A caption has 5 to 31 words with probability 0.9, 33 to 63 with 0.09, and 65 to 255 with
  // 0.01, followed by an end token. Longer captions are cut to `longest` tokens, including the end token.
  RandomCaptions(std::uint64_t seed, std::int64_t samples, std::int64_t image_size, std::int64_t vocabulary = 1024,
                 std::int64_t longest = 256);

  std::int64_t size() const { return samples_; }
  CaptionedImage operator[](std::int64_t sample) const;

 private:
  std::uint64_t seed_;
  std::int64_t samples_, image_size_, vocabulary_, longest_;
};

}  // namespace weft::captioner
