// Provides batches for the training steps of a captioner.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <apps/captioner/captioner_config.h>
#include <apps/captioner/shapes_dataset.h>
#include <weft/data/loader.h>

namespace weft::captioner {

// A source of pictures with captions. Thread-safe.
struct CaptionSource {
  std::int64_t samples;
  std::function<CaptionedImage(std::int64_t sample)> make;

  std::int64_t size() const { return samples; }
  CaptionedImage operator[](std::int64_t sample) const { return make(sample); }
};
// Returns the source for config.data, seed and size. `samples` 0: the number of samples in a training epoch.
CaptionSource caption_source(const CaptionerConfig& config, Split split, std::int64_t samples = 0);

// The batches of a run from a step on, epoch after epoch. The order depends only on seed and step. Not thread-safe.
class CaptionBatches {
 public:
  CaptionBatches(const CaptionerConfig& config, int workers, std::int64_t first_step = 0);

  CaptionBatch next();  // blocks until it is loaded

 private:
  using Loader = data::Loader<CaptionSource, CaptionCollator>;
  using Epoch = decltype(std::declval<const Loader&>().epoch(0));

  void begin_epoch();

  CaptionSource source_;
  Loader loader_;
  std::int64_t step_;
  std::unique_ptr<Epoch> epoch_;
};

// Declares the lengths that captions of at most `context` tokens may have with this padding: a few (mark_buckets), for which
// compiled functions have one program each, compiled ahead; or any (mark_dynamic), for which they have one program in total.
// Throws Error if the batch has a different length.
void mark_lengths(const CaptionBatch& batch, const data::PaddingPolicy& padding, std::int64_t context);

}  // namespace weft::captioner
