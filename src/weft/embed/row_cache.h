// Decides which rows of tables are in memory: a fixed number of slots, each with one row. Rows that a batch needs come in, and those that
// were not needed for the longest time go. Computes only; moving the rows is up to the caller. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::embed {

class RowCache {
 public:
  static constexpr std::int64_t none = -1;

  // There are at most 2^31 - 1 slots.
  RowCache(std::int64_t rows, std::int64_t slots);

  struct Move {
    std::int64_t slot = 0;
    std::int64_t in = 0;         // the row that comes into the slot
    std::int64_t out = none;     // the row that was there
    std::int64_t out_used = -1;  // the last batch that needed it
  };
  // Replaces rows by their slots and returns the moves that a batch with this number needs. Numbers increase, and there must be enough
  // slots for all rows of a batch.
  std::vector<Move> place(std::span<std::int64_t> rows, std::int64_t batch);

  // Says which row each slot has, or none, whatever place() decided.
  void reset(std::span<const std::int64_t> row_of_slot);

  std::int64_t slots() const { return static_cast<std::int64_t>(entries_.size()); }
  // Returns the row in a slot, and the last batch that needed it.
  std::int64_t row(std::int64_t slot) const { return entries_[slot].row; }
  std::int64_t used(std::int64_t slot) const { return entries_[slot].used; }

 private:
  static constexpr std::int32_t absent = -1, wanted = -2;  // wanted: by the batch that is placed

  struct Entry {
    std::int64_t row = none, used = -1;
    std::int32_t newer = -1, older = -1;  // slots, by their last use
  };

  void unlink(std::int32_t slot);
  void link_newest(std::int32_t slot);
  void use(std::int32_t slot, std::int64_t batch);

  std::vector<std::int32_t> slot_of_row_;  // or absent
  std::vector<Entry> entries_;
  std::int32_t newest_ = -1, oldest_ = -1;
};

}  // namespace weft::embed
