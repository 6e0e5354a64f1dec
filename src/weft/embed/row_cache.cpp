#include <weft/embed/row_cache.h>

#include <limits>

#include <weft/base/error.h>

namespace weft::embed {

RowCache::RowCache(std::int64_t rows, std::int64_t slots) : slot_of_row_(rows, absent), entries_(slots) {
  WEFT_ASSERT(slots <= std::numeric_limits<std::int32_t>::max(), "too many slots");
  for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(slots); ++slot) link_newest(slot);
}

void RowCache::unlink(std::int32_t slot) {
  const Entry& entry = entries_[slot];
  (entry.newer < 0 ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older < 0 ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void RowCache::link_newest(std::int32_t slot) {
  entries_[slot].newer = -1;
  entries_[slot].older = newest_;
  (newest_ < 0 ? oldest_ : entries_[newest_].newer) = slot;
  newest_ = slot;
}

void RowCache::use(std::int32_t slot, std::int64_t batch) {
  entries_[slot].used = batch;
  if (newest_ == slot) return;
  unlink(slot);
  link_newest(slot);
}

std::vector<RowCache::Move> RowCache::place(std::span<std::int64_t> rows, std::int64_t batch) {
  // Rows of the batch that are here become the newest ones first, so that none of them goes.
  std::vector<std::int64_t> missing;
  for (const std::int64_t row : rows) {
    std::int32_t& slot = slot_of_row_[row];
    if (slot >= 0) {
      use(slot, batch);
    } else if (slot == absent) {
      slot = wanted;
      missing.push_back(row);
    }
  }
  std::vector<Move> moves;
  moves.reserve(missing.size());
  for (const std::int64_t row : missing) {
    const std::int32_t slot = oldest_;
    Entry& entry = entries_[slot];
    WEFT_ASSERT(entry.used != batch, "a batch needs more rows than there are slots");
    moves.push_back({.slot = slot, .in = row, .out = entry.row, .out_used = entry.used});
    if (entry.row != none) slot_of_row_[entry.row] = absent;
    entry.row = row;
    slot_of_row_[row] = slot;
    use(slot, batch);
  }
  for (std::int64_t& row : rows) row = slot_of_row_[row];
  return moves;
}

void RowCache::reset(std::span<const std::int64_t> row_of_slot) {
  for (const Entry& entry : entries_)
    if (entry.row != none) slot_of_row_[entry.row] = absent;
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    entries_[slot].row = row_of_slot[slot];
    if (row_of_slot[slot] != none) slot_of_row_[row_of_slot[slot]] = static_cast<std::int32_t>(slot);
  }
}

}  // namespace weft::embed
