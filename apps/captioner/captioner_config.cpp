#include <apps/captioner/captioner_config.h>

#include <charconv>
#include <utility>

#include <apps/captioner/shapes_dataset.h>
#include <weft/base/error.h>

namespace weft::captioner {

namespace {

std::int64_t parse_length(std::string_view text) {
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  require(error == std::errc() && end == text.data() + text.size(), "padding: ", text, " is no length");
  return length;
}

std::vector<std::int64_t> parse_lengths(std::string_view text) {
  std::vector<std::int64_t> lengths;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    lengths.push_back(parse_length(text.substr(start, end - start)));
    start = end + 1;
  }
  return lengths;
}

Bucketing parse_buckets(std::string_view text) {
  std::vector<std::int64_t> lengths = parse_lengths(text);
  try {
    return Bucketing(std::move(lengths));
  } catch (const Error& error) {
    fail("padding: ", error.what());
  }
}

}  // namespace

data::PaddingPolicy padding_policy(std::string_view padding, std::int64_t context) {
  constexpr std::string_view multiple = "multiple:", buckets = "buckets:";
  if (padding == "fixed") return data::PaddingPolicy::fixed(context);
  if (padding == "longest") return data::PaddingPolicy::longest();
  if (padding.starts_with(multiple)) {
    const std::int64_t of = parse_length(padding.substr(multiple.size()));
    require(of > 0 && context % of == 0, "padding must be to a divisor of the context ", context, ", got ", padding);
    return data::PaddingPolicy::multiple_of(of);
  }
  require(padding.starts_with(buckets), "padding must be fixed, longest, multiple:N or buckets:N,N,..., got ", padding);
  const Bucketing sizes = parse_buckets(padding.substr(buckets.size()));
  require(sizes.largest() == context, "padding must have the context ", context, " as its largest bucket, got ",
          padding);
  return data::PaddingPolicy::buckets(sizes);
}

void CaptionerConfig::check() const {
  require(data == "shapes" || data == "random", "data must be shapes or random, got ", data);
  for (const auto& [name, size] : {std::pair{"encoder_layers", sizes.encoder_layers},
                                   {"decoder_layers", sizes.decoder_layers},
                                   {"width", sizes.width},
                                   {"heads", sizes.heads},
                                   {"patch", sizes.patch},
                                   {"vocabulary", sizes.vocabulary},
                                   {"context", sizes.context}})
    train::check_size(name, size);
  require(sizes.width % sizes.heads == 0, "heads must divide the width, got ", sizes.heads, " heads and width ",
          sizes.width);
  constexpr std::int64_t most = 4096;
  require(sizes.image >= 16 && sizes.image <= most, "image must be from 16 to ", most, ", got ", sizes.image);
  require(sizes.image % sizes.patch == 0, "patch must divide the image, got a patch of ", sizes.patch,
          " and an image of ", sizes.image);
  const auto words = data == "shapes" ? std::ssize(ShapesDataset::vocabulary()) : std::int64_t{first_word_token + 1};
  require(sizes.vocabulary >= words, "vocabulary must be at least ", words, ", got ", sizes.vocabulary);
  require(data != "shapes" || sizes.context >= ShapesDataset::longest, "context must be at least ",
          ShapesDataset::longest, ", got ", sizes.context);
  require(sizes.dropout >= 0 && sizes.dropout < 1, "dropout must be at least 0 and less than 1, got ", sizes.dropout);
  padding_policy(padding, sizes.context);
  train::Recipe::check();
  require(dtype == "f32" || dtype == "bf16", "dtype must be f32 or bf16, got ", dtype);
}

const std::vector<CaptionerPreset>& captioner_presets() {
  static const std::vector<CaptionerPreset> presets = [] {
    CaptionerConfig small, full;
    small.sizes = {.encoder_layers = 3, .decoder_layers = 2, .width = 128, .heads = 4, .image = 32, .patch = 4};
    small.batch = 64, small.lr = 2e-3, small.warmup = 100, small.decay_steps = 2400;
    full.batch = 64, full.lr = 3e-4, full.warmup = 100, full.decay_steps = 2000;
    CaptionerConfig small_random = small, full_random = full;
    for (CaptionerConfig* config : {&small_random, &full_random})
      config->data = "random", config->padding = "multiple:8";
    small.sizes.context = ShapesDataset::longest;
    small.sizes.vocabulary = std::ssize(ShapesDataset::vocabulary());
    return std::vector<CaptionerPreset>{{"small", "shapes", small, small.decay_steps},
                                        {"small", "random", small_random, 100},
                                        {"full", "shapes", full, full.decay_steps},
                                        {"full", "random", full_random, 100}};
  }();
  return presets;
}

const CaptionerPreset* captioner_preset(std::string_view size, std::string_view data) {
  for (const CaptionerPreset& preset : captioner_presets())
    if (preset.size == size && preset.data == data) return &preset;
  return nullptr;
}

}  // namespace weft::captioner
