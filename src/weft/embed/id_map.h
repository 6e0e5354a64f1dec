// Maps ids of any value, such as hashes of names, to the rows of a table, so that a table of fixed size serves ids that nobody can list:
// what TorchRec calls managed collision, or zero-collision hashing. An id keeps its row as long as it is in use; if a new id needs a row
// and none is free, the id that was used least loses its own (eviction), and the row begins anew.
//
// It runs on the host where batches are made, and nothing of it is random: the same ids in the same order get the same rows. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/tensor/module.h>

namespace weft::embed {

// Which id loses its row: among those that may, the one with the least of
enum class Eviction : std::uint8_t {
  lru,           // the number of the last batch that had it
  lfu,           // how often it occurred
  distance_lfu,  // how often it occurred / (batches since then)^decay
};

// What happens to an id that finds no row, because all that it could have are in use.
enum class NoRow : std::uint8_t {
  error,  // map() throws Error
  skip,   // its row is -1, which lookups skip if their bounds say so
  share,  // it shares the row of another id
};

struct IdMapOptions {
  std::int64_t rows = 0;
  std::int64_t probes = 128;  // so many rows an id may have, counted from one that follows from its hash
  Eviction eviction = Eviction::lru;
  double decay = 1;  // of distance_lfu
  std::int64_t keeps =
      1;  // an id that one of the last so many batches had keeps its row; the batch that is mapped counts
  NoRow no_row = NoRow::error;
  std::uint64_t seed = 0;  // of the hash
};

class IdMap {
 public:
  // `name` is that of the table, for messages. Throws Error for options that mean nothing.
  IdMap(std::string name, IdMapOptions options);

  // Maps the ids of a batch, which counts as one more: all ids of the batch that use this map must be given in one call, or with
  // `is_same_batch` in several. Appends rows that have changed their id to `evicted`. If it throws, ids before the one that found no row
  // are mapped.
  std::vector<std::int64_t> map(std::span<const std::int64_t> ids, std::vector<std::int64_t>& evicted,
                                bool is_same_batch = false);
  // Returns the rows of ids as they are, without counting: -1 for ids that have none. For evaluation.
  std::vector<std::int64_t> find(std::span<const std::int64_t> ids) const;

  std::int64_t ids() const { return used_; }  // how many have a row
  std::int64_t evictions() const { return evictions_; }
  const std::string& name() const { return name_; }
  const IdMapOptions& options() const { return options_; }

  // For checkpoints: the ids of all rows, and what eviction needs to know, named NAME.ids and so on.
  StateDict state() const;
  // Throws Error, and changes nothing, if a tensor is missing or does not have the rows of this map.
  void load(const StateDict& state);

 private:
  struct Place {
    std::int64_t row;
    bool has_id;
  };
  std::int64_t row_at(std::int64_t first, std::int64_t probe) const;
  std::int64_t first_row(std::int64_t id) const;
  Place place_of(std::int64_t id) const;  // row: -1 if the id finds none
  double score(std::int64_t row) const;

  std::string name_;
  IdMapOptions options_;
  std::int64_t batch_ = 0, used_ = 0, evictions_ = 0;
  std::vector<std::int64_t> ids_, last_batch_, counts_;  // of each row; last_batch_: 0 if it has no id
};

}  // namespace weft::embed
