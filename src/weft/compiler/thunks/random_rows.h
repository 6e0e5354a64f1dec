// Random bits for rows of tables: those of Philox with a key, from the counter of the row on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Thread-safe.
class RandomRows {
 public:
  explicit RandomRows(const NativeContext& context);

  // Returns how many words draw() may write for a row of this width.
  std::int64_t room(std::int64_t width) const { return blocks(width) * words_per_block; }
  // Writes the bits of a row of `width` columns, and others behind them.
  void draw(std::uint64_t key, std::uint64_t counter, std::int64_t width, std::span<std::uint32_t> to) const;

 private:
  static constexpr std::int64_t words_per_block = 4;

  // The code computes as many blocks at once as the target has lanes.
  std::int64_t blocks(std::int64_t width) const {
    return ((width + words_per_block - 1) / words_per_block + lanes_ - 1) / lanes_ * lanes_;
  }

  std::shared_ptr<const Routine> code_;
  std::int64_t lanes_;
};

}  // namespace weft::compiler
