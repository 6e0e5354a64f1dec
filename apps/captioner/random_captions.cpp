#include <apps/captioner/random_captions.h>

#include <algorithm>

#include <weft/base/draws.h>
#include <weft/base/error.h>

namespace weft::captioner {

RandomCaptions::RandomCaptions(std::uint64_t seed, std::int64_t samples, std::int64_t image_size,
                               std::int64_t vocabulary, std::int64_t longest)
    : seed_(seed), samples_(samples), image_size_(image_size), vocabulary_(vocabulary), longest_(longest) {
  require(samples > 0 && image_size > 0 && longest > 0,
          "RandomCaptions: samples, image_size and longest must be positive, got ", samples, ", ", image_size, " and ",
          longest);
  require(vocabulary > first_word_token, "RandomCaptions: a vocabulary of ", vocabulary, " has no words");
}

CaptionedImage RandomCaptions::operator[](std::int64_t sample) const {
  require(sample >= 0 && sample < samples_, "RandomCaptions: sample ", sample, " of ", samples_);
  Draws draws(mix(seed_, sample));
  CaptionedImage made{.size = image_size_};
  made.image.resize(3 * image_size_ * image_size_);
  std::ranges::generate(made.image, [&] { return static_cast<float>(draws.normal()); });
  const double kind = draws.uniform();
  const std::int64_t words = kind < 0.9    ? draws.between(5, 31)
                             : kind < 0.99 ? draws.between(33, 63)
                                           : draws.between(65, 255);
  for (std::int64_t i = 0; i < std::min(words, longest_ - 1); ++i)
    made.caption.push_back(draws.between(1, vocabulary_ - 1));
  made.caption.push_back(end_token);
  return made;
}

}  // namespace weft::captioner
