// Evaluates a captioner on pictures whose captions are known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <apps/captioner/captioner_data.h>
#include <apps/captioner/captioner_trainer.h>
#include <weft/data/png.h>

namespace weft::captioner {

// A picture, its true caption, and the caption that the model generated.
struct SaidCaption {
  data::RgbImage picture;
  std::string truth, said;
  bool is_right() const { return said == truth; }
};

struct CaptionScore {
  std::int64_t pictures = 0;
  double accuracy = 0;        // fraction of the captions that are correct in every word
  double token_accuracy = 0;  // fraction of the tokens, including end tokens, that are correct at their position
  std::vector<SaidCaption> examples = {};
};

// Evaluates the first `pictures` held-out pictures in batches of config.batch and keeps `keep` of them as examples. Calls `stop`
// between batches; if it returns true, the score covers the batches so far. Blocks until the device is done. Throws Error for
// random data, whose captions cannot be predicted.
CaptionScore evaluate_captions(
    CaptionerTrainer& trainer, const CaptionerConfig& config, std::int64_t pictures, std::int64_t keep,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace weft::captioner
