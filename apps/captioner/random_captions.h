// Noise with captions of random words: nothing can be learned from it, but its lengths are those of captions. For measuring.
#pragma once

#include <cstdint>

#include <apps/captioner/captions.h>

namespace weft::captioner {

// A sample is a pure function of the seed and its index. Thread-safe.
class RandomCaptions {
 public:
  // The pixels are normal. A caption has 5 to 31 words nine times of ten, 33 to 63 nine times of a hundred, 65 to 255 else, and an
  // end; none is longer than `longest`, the end included, to which longer ones are cut.
  RandomCaptions(std::uint64_t seed, std::int64_t samples, std::int64_t image_size, std::int64_t vocabulary = 1024,
                 std::int64_t longest = 256);

  std::int64_t size() const { return samples_; }
  CaptionedImage operator[](std::int64_t sample) const;

 private:
  std::uint64_t seed_;
  std::int64_t samples_, image_size_, vocabulary_, longest_;
};

}  // namespace weft::captioner
