// Features with ids of any value for collections of tables: each table has an id map (id_map.h), and rows that change their id begin anew.
//
//   embed::ManagedIds ids({{"users", {"user", "friend"}, {.rows = 1'000'000}}});
//   for (const Batch& batch : loader) {
//     const embed::MappedFeatures mapped = ids(batch.features);      // rows of the tables instead of ids
//     embed::renew_rows(model.tables, optimizer, mapped.evicted);    // initial values, and no optimizer state
//     train_step(mapped.features, batch.clicks);
//   }
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <weft/embed/id_map.h>
#include <weft/embed/jagged.h>
#include <weft/tensor/gradient.h>

namespace weft::embed {

// The features of a table share its map.
struct ManagedTable {
  std::string name = {};
  std::vector<std::string> feature_names = {};
  IdMapOptions options = {};
};

struct EvictedRows {
  std::string table;
  std::vector<std::int64_t> rows;
};

struct MappedFeatures {
  KeyedJaggedTensor features;
  std::vector<EvictedRows> evicted;  // of tables that have any
};

class ManagedIds {
 public:
  // Throws Error if a name of a table or of a feature occurs twice.
  explicit ManagedIds(std::vector<ManagedTable> tables, std::source_location where = std::source_location::current());

  // Maps the ids of a batch that comes from the host, which is read. Features that no table here has stay as they are. Throws Error if a
  // feature is missing, for features in blocks (map them before `sharded`), and for an id that finds no row.
  MappedFeatures operator()(const KeyedJaggedTensor& features,
                            std::source_location where = std::source_location::current());
  // The same for evaluation: the maps stay as they are, and ids without a row become -1, which lookups skip if their bounds say so.
  KeyedJaggedTensor find(const KeyedJaggedTensor& features,
                         std::source_location where = std::source_location::current()) const;

  const IdMap& map(std::string_view table) const;  // throws Error for an unknown name

  // For checkpoints: the states of all maps.
  StateDict state() const;
  void load(const StateDict& state);  // throws Error if something is missing or does not fit

 private:
  template <class F>
  KeyedJaggedTensor mapped(const char* function, const KeyedJaggedTensor& features, std::source_location where,
                           F&& rows_of) const;

  std::vector<std::vector<std::string>> features_;  // of each table
  std::vector<IdMap> maps_;
};

// Gives rows that changed their id new initial values, and takes their optimizer state away. `tables` is a collection, and `optimizer` has
// its tables among its parameters; they must be updated by rows (sparse_update). Throws Error for a table that the collection does not
// have.
void renew_rows(const auto& tables, auto& optimizer, std::span<const EvictedRows> evicted,
                std::source_location where = std::source_location::current()) {
  if (evicted.empty()) return;
  optimizer.replace_rows(grad(tables.renewal(evicted, where), optimizer.parameters(where)), where);
}

}  // namespace weft::embed
