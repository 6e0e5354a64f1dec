#include <apps/captioner/captioner_data.h>

#include <apps/captioner/random_captions.h>
#include <weft/jit/dynamic.h>

namespace weft::captioner {

namespace {

constexpr std::int64_t samples_of_an_epoch = 100'000;

}  // namespace

CaptionSource caption_source(const CaptionerConfig& config, Split split, std::int64_t samples) {
  const std::uint64_t seed = config.seed;
  if (samples == 0) samples = std::max(samples_of_an_epoch, config.batch);
  if (config.data == "shapes") {
    const ShapesDataset shapes(split, seed, samples, config.sizes.image);
    return {samples, [shapes](std::int64_t sample) { return shapes[sample]; }};
  }
  const RandomCaptions noise(mix(seed, static_cast<std::uint64_t>(split)), samples, config.sizes.image,
                             config.sizes.vocabulary, config.sizes.context);
  return {samples, [noise](std::int64_t sample) { return noise[sample]; }};
}

CaptionBatches::CaptionBatches(const CaptionerConfig& config, int workers, std::int64_t first_step)
    : source_(caption_source(config, Split::training)),
      loader_(source_, CaptionCollator(padding_policy(config.padding, config.sizes.context)),
              {.batch = config.batch,
               .drop_last = true,
               .workers = workers,
               .seed = static_cast<std::uint64_t>(config.seed)}),
      step_(first_step) {
  begin_epoch();
}

void CaptionBatches::begin_epoch() {
  epoch_.reset();
  epoch_.reset(new Epoch(loader_.epoch(step_ / loader_.batches(), step_ % loader_.batches())));
}

CaptionBatch CaptionBatches::next() {
  auto at = epoch_->begin();
  CaptionBatch batch = *at;
  ++at;
  ++step_;
  if (at == epoch_->end()) begin_epoch();
  return batch;
}

void mark_lengths(const CaptionBatch& batch, const data::PaddingPolicy& padding, std::int64_t context) {
  const Bucketing* buckets = padding.buckets();
  if (buckets && buckets->sizes().size() < 2) return;
  for (const Tensor* tensor : {&batch.tokens, &batch.labels}) {
    if (buckets) {
      mark_buckets(*tensor, 1, *buckets, "length");
    } else {
      mark_dynamic(*tensor, 1, {.name = "length", .min = 1, .max = context});
    }
  }
}

}  // namespace weft::captioner
