#include <weft/embed/managed_ids.h>

#include <algorithm>
#include <utility>

#include <weft/embed/table_configs.h>
#include <weft/record/call.h>

namespace weft::embed {

ManagedIds::ManagedIds(std::vector<ManagedTable> tables, std::source_location where) {
  const record::Call call("ManagedIds", where);
  std::vector<std::string> names;
  for (ManagedTable& table : tables) {
    for (const IdMap& other : maps_)
      call.require(other.name() != table.name, "two tables have the name \"", table.name, '"');
    for (const std::string& feature : table.feature_names) {
      call.require(std::ranges::find(names, feature) == names.end(), "the feature \"", feature,
                   "\" is mapped for two tables");
      names.push_back(feature);
    }
    call.require(!table.feature_names.empty(), "table \"", table.name, "\" has no features");
    features_.push_back(std::move(table.feature_names));
    maps_.emplace_back(std::move(table.name), table.options);
  }
}

// `rows_of` returns the rows of some ids of a table; it gets the number of the table, the ids, and whether ids of this table came before.
template <class F>
KeyedJaggedTensor ManagedIds::mapped(const char* function, const KeyedJaggedTensor& features,
                                     std::source_location where, F&& rows_of) const {
  const record::Call call(function, where);
  call.require(features.ends().rank() == 2, "the features are in blocks: map their ids before they are sharded");
  auto values = features.values().to(DType::i64).to_vector<std::int64_t>();
  const auto ends = features.ends().to(DType::i64).to_vector<std::int64_t>();
  const std::int64_t bags = features.ends().size(1);
  for (std::size_t t = 0; t < maps_.size(); ++t)
    for (std::size_t f = 0; f < features_[t].size(); ++f) {
      const auto found = std::ranges::find(features.keys(), features_[t][f]);
      call.require(found != features.keys().end(), "table \"", maps_[t].name(), "\" has the feature \"",
                   features_[t][f], "\", which is not among ", detail::joined(features.keys()));
      const std::int64_t key = found - features.keys().begin();
      const std::int64_t begin = key * bags == 0 ? 0 : ends[key * bags - 1];
      const std::int64_t end = bags == 0 ? 0 : ends[(key + 1) * bags - 1];
      const auto rows = rows_of(t, std::span(values).subspan(begin, end - begin), f > 0);
      std::ranges::copy(rows, values.begin() + begin);
    }
  return features.with_values(std::move(values), where);
}

MappedFeatures ManagedIds::operator()(const KeyedJaggedTensor& features, std::source_location where) {
  MappedFeatures result;
  std::vector<std::vector<std::int64_t>> evicted(maps_.size());
  result.features =
      mapped("ManagedIds", features, where, [&](std::size_t t, std::span<const std::int64_t> ids, bool is_same_batch) {
        return maps_[t].map(ids, evicted[t], is_same_batch);
      });
  for (std::size_t t = 0; t < maps_.size(); ++t)
    if (!evicted[t].empty()) result.evicted.push_back({maps_[t].name(), std::move(evicted[t])});
  return result;
}

KeyedJaggedTensor ManagedIds::find(const KeyedJaggedTensor& features, std::source_location where) const {
  return mapped("ManagedIds.find", features, where,
                [&](std::size_t t, std::span<const std::int64_t> ids, bool) { return maps_[t].find(ids); });
}

const IdMap& ManagedIds::map(std::string_view table) const {
  const auto found = std::ranges::find(maps_, table, &IdMap::name);
  require(found != maps_.end(), "ManagedIds: there is no table \"", table, '"');
  return *found;
}

StateDict ManagedIds::state() const {
  StateDict all;
  for (const IdMap& map : maps_) all.merge(map.state());
  return all;
}

void ManagedIds::load(const StateDict& state) {
  std::vector<IdMap> loaded = maps_;
  for (IdMap& map : loaded) map.load(state);
  maps_ = std::move(loaded);
}

}  // namespace weft::embed
