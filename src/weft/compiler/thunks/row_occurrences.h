// Where the rows of tables occur in lookups: the ids of all bags, divided by table and row into buckets, which threads visit
// independently. The occurrences of a row stand in one bucket, in the order of the lookups: entry, sample, position. So whatever is summed
// over them has the same bits for any number of threads.
#pragma once

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

// The ids of one lookup during a launch.
struct LookupIds {
  Integers ids, ends;
  const std::byte* weights = nullptr;  // null: none
  std::int64_t count = 0, batch = 0;   // of ids, of samples

  struct Bag {
    std::int64_t begin, end;
  };
  // Throws Error if the bag does not lie within the ids.
  Bag bag(std::int64_t key, std::int64_t sample, std::string_view names) const {
    const std::int64_t i = key * batch + sample;
    const Bag bag{i == 0 ? 0 : ends[i - 1], ends[i]};
    if (bag.begin < 0 || bag.begin > bag.end || bag.end > count) [[unlikely]]
      ir::fail_ends(names, key, sample, bag.begin, bag.end, count);
    return bag;
  }
};

// An id that is a row, with its weight; for a mean, times 1 / the number of ids in the bag. Real is float or double.
template <class Real>
struct Occurrence {
  std::uint32_t row, entry, sample;
  Real scale;
};

// The part of a lookup that is the same for all launches.
struct LookupPlan {
  std::vector<ir::LookupEntry> entries;
  std::vector<std::int64_t> rows;  // of each table
  ir::IdBounds bounds = ir::IdBounds::ERROR;
  std::string names;
};

// Returns the row; -1 for an id that is skipped. Throws Error if bad ids are errors.
inline std::int64_t row_of(const LookupPlan& plan, const ir::LookupEntry& entry, std::int64_t sample, std::int64_t id) {
  if (static_cast<std::uint64_t>(id) < static_cast<std::uint64_t>(plan.rows[entry.table])) [[likely]]
    return id;
  if (plan.bounds == ir::IdBounds::ERROR) ir::fail_id(plan.names, entry.key, sample, id, plan.rows[entry.table]);
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
