#include <apps/text/text_dataset.h>

#include <algorithm>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/hash.h>

namespace weft::text {

TextDataset::TextDataset(const std::filesystem::path& path, std::int64_t context)
    : file_(path), window_(context + 1), train_bytes_(bytes() / 10 * 9) {
  require(context > 0, "TextDataset: the context must be positive, got ", context);
  require(bytes() > 0, "cannot train on ", path.string(), ": it is empty");
  const std::int64_t needed = 10 * window_;
  require(bytes() >= needed, "cannot train on ", path.string(), ": it has ", bytes(), " bytes, a context of ", context,
          " needs at least ", needed);
}

void TextDataset::train_batch(std::uint64_t seed, std::int64_t step, std::span<std::int32_t> tokens) const {
  const std::uint64_t windows = train_bytes_ - window_ + 1;
  const std::uint64_t key = mix(mix(0, seed), step);
  for (std::uint64_t row = 0; !tokens.empty(); ++row) {
    read_window(mix(key, row) % windows, tokens.first(window_));
    tokens = tokens.subspan(window_);
  }
}

void TextDataset::validation_batch(std::int64_t first, std::span<std::int32_t> tokens) const {
  const std::int64_t rows = std::ssize(tokens) / window_;
  require(first >= 0 && rows <= validation_windows() - first, "TextDataset::validation_batch: windows ", first, " to ",
          first + rows, " of ", validation_windows());
  for (std::int64_t row = first; !tokens.empty(); ++row) {
    read_window(train_bytes_ + row * (window_ - 1), tokens.first(window_));
    tokens = tokens.subspan(window_);
  }
}

void TextDataset::read_window(std::int64_t offset, std::span<std::int32_t> tokens) const {
  std::vector<std::uint8_t> bytes(tokens.size());
  file_.read(offset, std::as_writable_bytes(std::span(bytes)));
  std::ranges::copy(bytes, tokens.begin());
}

}  // namespace weft::text
