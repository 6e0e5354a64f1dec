#include <apps/captioner/caption_evaluation.h>

#include <algorithm>

#include <weft/base/error.h>

namespace weft::captioner {

namespace {

data::RgbImage picture_of(const CaptionedImage& sample) {
  data::RgbImage picture(sample.size, sample.size);
  const std::size_t pixels = sample.size * sample.size;
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t channel = 0; channel < 3; ++channel)
      picture.bytes[3 * i + channel] =
          static_cast<std::uint8_t>(127.5f * (sample.image[channel * pixels + i] + 1) + 0.5f);
  return picture;
}

std::int64_t tokens_right(const std::vector<std::int32_t>& truth, const std::vector<std::int32_t>& said) {
  std::int64_t right = 0;
  for (std::size_t i = 0; i < std::min(truth.size(), said.size()); ++i) right += truth[i] == said[i];
  return right;
}

}  // namespace

CaptionScore evaluate_captions(CaptionerTrainer& trainer, const CaptionerConfig& config, std::int64_t pictures,
                               std::int64_t keep, const std::function<bool()>& stop) {
  require(config.data == "shapes", "evaluate_captions: captions of random words cannot be known");
  const CaptionSource source = caption_source(config, Split::held_out, pictures);
  const data::Loader loader(source, CaptionCollator(data::PaddingPolicy::fixed(config.sizes.context)),
                            {.batch = config.batch, .shuffle = false, .workers = 0});
  CaptionScore score;
  std::int64_t right = 0, right_tokens = 0, tokens = 0;
  for (const CaptionBatch& batch : loader.epoch(0)) {
    if (stop()) break;
    for (const std::vector<std::int32_t>& said : trainer.captions(batch.images)) {
      const CaptionedImage sample = source[score.pictures];
      right += said == sample.caption;
      right_tokens += tokens_right(sample.caption, said);
      tokens += std::ssize(sample.caption);
      if (score.pictures++ < keep)
        score.examples.push_back(
            {picture_of(sample), ShapesDataset::decode(sample.caption), ShapesDataset::decode(said)});
    }
  }
  if (score.pictures == 0) return score;
  score.accuracy = right / static_cast<double>(score.pictures);
  score.token_accuracy = right_tokens / static_cast<double>(tokens);
  return score;
}

}  // namespace weft::captioner
