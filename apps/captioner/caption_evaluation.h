// How well a captioner does on pictures whose captions are known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <apps/captioner/captioner_data.h>
#include <apps/captioner/captioner_trainer.h>
#include <weft/data/png.h>

namespace weft::captioner {

// A picture, what is true of it, and what the model said.
struct SaidCaption {
  data::RgbImage picture;
  std::string truth, said;
  bool is_right() const { return said == truth; }
};

struct CaptionScore {
  std::int64_t pictures = 0;
  double accuracy = 0;        // share of the captions that are right in every word
  double token_accuracy = 0;  // share of their tokens, ends included, that stand where they should
  std::vector<SaidCaption> examples = {};
};

// The first `pictures` of the held-out ones, in batches of config.batch; `keep` of them as examples. Asks `stop` between batches:
// the score is then that of the batches before. Waits. Throws Error for random data, whose captions cannot be known.
CaptionScore evaluate_captions(
    CaptionerTrainer& trainer, const CaptionerConfig& config, std::int64_t pictures, std::int64_t keep,
    const std::function<bool()>& stop = [] { return false; });

}  // namespace weft::captioner
