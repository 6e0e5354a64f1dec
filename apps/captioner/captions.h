// Pictures with a caption, as samples and as batches of a captioner: what its datasets and its loader share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/data/padding_policy.h>
#include <weft/tensor/tensor.h>

namespace weft::captioner {

// Tokens that are no words, and the label that the loss leaves out.
inline constexpr std::int32_t pad_token = 0, start_token = 1, end_token = 2, first_word_token = 3, ignored_label = -100;

struct CaptionedImage {
  std::int64_t size = 0;                   // of the picture, which is square
  std::vector<float> image = {};           // [3, size, size]: red, green and blue, from -1 to 1
  std::vector<std::int32_t> caption = {};  // tokens, end_token last
};

// The decoder sees `tokens` and is to predict `labels`, which are one place ahead of them.
struct CaptionBatch {
  Tensor images;  // f32 [batch, 3, size, size]
  Tensor tokens;  // i32 [batch, length]: start_token, the caption without its end, pad_token
  Tensor labels;  // i32 [batch, length]: the caption, ignored_label
  void fields(auto&& field) {
    field("images", images);
    field("tokens", tokens);
    field("labels", labels);
  }
};

// Makes batches: for data::Loader.
class CaptionCollator {
 public:
  explicit CaptionCollator(data::PaddingPolicy padding) : padding_(std::move(padding)) {}
  // Throws Error for pictures of different sizes, and for captions that are empty or that the padding has no room for.
  CaptionBatch operator()(std::span<const CaptionedImage> samples) const;

 private:
  data::PaddingPolicy padding_;
};

}  // namespace weft::captioner
