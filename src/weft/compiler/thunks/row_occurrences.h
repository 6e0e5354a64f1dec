// Where the rows of tables occur in lookups: the ids of all bags, divided by table and row into buckets, which threads visit
// independently. The occurrences of a row stand in one bucket, in the order of the lookups: entry, sample, position. So whatever is summed
// over them has the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/ops/embedding.h>

namespace weft::compiler {

// i32 or i64 elements.
struct Integers {
  const std::byte* at = nullptr;
  bool wide = false;

  std::int64_t operator[](std::int64_t i) const {
    return wide ? reinterpret_cast<const std::int64_t*>(at)[i] : reinterpret_cast<const std::int32_t*>(at)[i];
  }
};

// The ids of one lookup during a launch. Samples are those of all blocks, one block after the other.
struct LookupIds {
  Integers ids, ends;
  const std::byte* weights = nullptr;  // null: none
  std::int64_t count = 0, batch = 0;   // of ids, of samples, in all blocks
  std::int64_t blocks = 1, keys = 0;
  bool unpooled = false;

  struct Bag {
    std::int64_t begin, end;
  };
  // Returns which ids a bag has. Throws Error if it does not lie within the ids of its block.
  Bag bag(std::int64_t key, std::int64_t sample, std::string_view names) const {
    if (blocks == 1) return bag_of_block(0, key, sample, batch, count, names);
    const std::int64_t samples = batch / blocks;
    return bag_of_block(sample / samples, key, sample % samples, samples, count / blocks, names);
  }
  // Returns the number of ids of a key, as far as the ends are right.
  std::int64_t ids_of_key(std::int64_t key) const {
    std::int64_t sum = 0;
    const std::int64_t samples = batch / blocks, ids_of_block = count / blocks;
    for (std::int64_t block = 0; samples > 0 && block < blocks; ++block) {
      const std::int64_t at = (block * keys + key) * samples;
      sum += std::clamp<std::int64_t>(ends[at + samples - 1] - (key == 0 ? 0 : ends[at - 1]), 0, ids_of_block);
    }
    return sum;
  }

 private:
  Bag bag_of_block(std::int64_t block, std::int64_t key, std::int64_t sample, std::int64_t samples,
                   std::int64_t ids_of_block, std::string_view names) const {
    const std::int64_t i = key * samples + sample, first = block * keys * samples;
    const Bag bag{i == 0 ? 0 : ends[first + i - 1], ends[first + i]};
    if (bag.begin < 0 || bag.begin > bag.end || bag.end > ids_of_block) [[unlikely]]
      ir::fail_ends(names, key, block * samples + sample, bag.begin, bag.end, ids_of_block);
    return {block * ids_of_block + bag.begin, block * ids_of_block + bag.end};
  }
};

// An id that is a row, with its weight; for a mean, times 1 / the number of ids in the bag. Real is float or double.
template <class Real>
struct Occurrence {
  std::uint32_t row, entry,
      place;  // place: of its pooled row, which is the sample, or the position of the id if the lookup is unpooled
  Real scale;
};

// The part of a lookup that is the same for all launches; but entries of placed rows are known in a launch.
struct LookupPlan {
  std::vector<ir::LookupEntry> entries;
  std::vector<std::int64_t> rows;  // of each table
  ir::IdBounds bounds = ir::IdBounds::ERROR;
  std::string names;
};

// Returns the row; -1 for an id that is skipped, or that another entry takes. Throws Error if bad ids are errors.
inline std::int64_t row_of(const LookupPlan& plan, const ir::LookupEntry& entry, std::int64_t sample, std::int64_t id) {
  if (const auto row = entry.row(id)) [[likely]]
    return *row;
  if (plan.bounds == ir::IdBounds::ERROR && !entry.is_in_bounds(id))
    ir::fail_id(plan.names, entry.key, sample, id, entry.all_rows);
  return -1;
}

template <class Real>
class RowOccurrences {
 public:
  // Checks all ids and ends: throws Error before anything is visited. `memory` has room for as many occurrences as there may be.
  RowOccurrences(const LookupPlan& plan, std::span<const LookupIds> lookups, std::span<Occurrence<Real>> memory);

  struct Bucket {
    std::int64_t table;
    std::span<const Occurrence<Real>> occurrences;
  };
  std::int64_t buckets() const { return std::ssize(buckets_); }
  Bucket bucket(std::int64_t i) const {
    const Range& range = buckets_[i];
    return {range.table, std::span<const Occurrence<Real>>(memory_.data() + range.begin, range.count)};
  }

 private:
  // Some samples of an entry, which one thread visits.
  struct Chunk {
    std::int64_t entry, begin, end;
    std::size_t counts;  // where its counts begin: one for each bucket of its table
  };
  struct Range {
    std::int64_t table;
    std::size_t begin = 0, count = 0;
  };

  template <class F>
  void visit(const Chunk& chunk, F&& f) const;
  void divide_tables();
  void make_chunks();
  void count();
  void place();

  const LookupPlan& plan_;
  std::span<const LookupIds> lookups_;
  std::span<Occurrence<Real>> memory_;
  std::vector<std::uint32_t> masks_;       // of each table: the number of its buckets - 1
  std::vector<std::size_t> first_bucket_;  // of each table
  std::vector<Range> buckets_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> counts_;  // then the place of the next occurrence
};

// Collects the occurrences of a bucket by row: rows come in the order of their first occurrence. Reused by a thread for many buckets.
template <class Real>
class RowGroups {
 public:
  void group(std::span<const Occurrence<Real>> occurrences);

  std::size_t rows() const { return ends_.size(); }
  // Returns where the occurrences of a row begin and end among occurrences().
  std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends_[row - 1]; }
  std::size_t end(std::size_t row) const { return ends_[row]; }
  std::span<const Occurrence<Real>> occurrences() const { return grouped_; }

 private:
  std::vector<Occurrence<Real>> grouped_;
  std::vector<std::uint32_t> slots_, rows_, first_,
      ends_;  // rows_: of each occurrence; first_: an occurrence of each row
};

}  // namespace weft::compiler
