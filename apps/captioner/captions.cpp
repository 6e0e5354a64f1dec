#include <apps/captioner/captions.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/data/padding.h>
#include <weft/tensor/creation.h>

namespace weft::captioner {

namespace {

Tensor images_of(std::span<const CaptionedImage> samples) {
  const std::int64_t size = samples.front().size;
  std::vector<float> images;
  images.reserve(samples.size() * samples.front().image.size());
  for (const CaptionedImage& sample : samples) {
    require(sample.size == size, "CaptionCollator: pictures of ", size, " and ", sample.size, " pixels in one batch");
    images.insert(images.end(), sample.image.begin(), sample.image.end());
  }
  return from_vector(images, {std::ssize(samples), 3, size, size});
}

}  // namespace

CaptionBatch CaptionCollator::operator()(std::span<const CaptionedImage> samples) const {
  require(!samples.empty(), "CaptionCollator: a batch of no samples");
  std::vector<std::vector<std::int32_t>> seen;
  std::vector<std::span<const std::int32_t>> tokens, labels;
  for (const CaptionedImage& sample : samples) {
    require(!sample.caption.empty(), "CaptionCollator: the caption of sample ", &sample - samples.data(),
            " of the batch is empty; an end_token, at the least, is its last");
    labels.emplace_back(sample.caption);
    seen.push_back({start_token});
    seen.back().insert(seen.back().end(), sample.caption.begin(), sample.caption.end() - 1);
  }
  for (const auto& row : seen) tokens.emplace_back(row);
  const std::span<const std::span<const std::int32_t>> all_tokens = tokens, all_labels = labels;
  const std::int64_t length = padding_.length_for(data::longest(all_labels));
  return {images_of(samples), data::pad_sequences(all_tokens, length, pad_token),
          data::pad_sequences(all_labels, length, ignored_label)};
}

}  // namespace weft::captioner
