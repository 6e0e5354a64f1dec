// Pictures with captions, as samples and as batches, as the datasets and the loader of a captioner exchange them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/data/padding_policy.h>
#include <weft/tensor/tensor.h>

namespace weft::captioner {

// Tokens that are not words, and the label that the loss ignores.
inline constexpr std::int32_t pad_token = 0, start_token = 1, end_token = 2, first_word_token = 3, ignored_label = -100;

struct CaptionedImage {
  std::int64_t size = 0;                   // width and height of the picture
  std::vector<float> image = {};           // [3, size, size]: red, green and blue, from -1 to 1
  std::vector<std::int32_t> caption = {};  // tokens, end_token last
};

// The decoder reads `tokens` and predicts `labels`, which are shifted by one position.
struct CaptionBatch {
  Tensor images;  // f32 [batch, 3, size, size]
  Tensor tokens;  // i32 [batch, length]: start_token, the caption without its end token, pad_token
  Tensor labels;  // i32 [batch, length]: the caption with its end token, ignored_label
  void fields(auto&& field) {
    field("images", images);
    field("tokens", tokens);
    field("labels", labels);
  }
};

// Collates samples to batches for data::Loader.
class CaptionCollator {
 public:
  explicit CaptionCollator(data::PaddingPolicy padding) : padding_(std::move(padding)) {}
  // Throws Error for pictures of different sizes, and for captions that are empty or exceed the padded length.
  CaptionBatch operator()(std::span<const CaptionedImage> samples) const;

 private:
  data::PaddingPolicy padding_;
};

}  // namespace weft::captioner
