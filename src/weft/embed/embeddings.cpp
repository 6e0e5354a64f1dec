#include <weft/embed/embeddings.h>

#include <algorithm>
#include <utility>

#include <weft/ir/ops/embedding.h>
#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft::embed {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The rows of a matrix must be whole rows of their tables, and each id must be in one of them.
void check_placed(const record::Call& call, std::span<const EmbeddingBagConfig> tables, const PlacedTables& placed) {
  std::vector<std::string> features;
  std::vector<bool> seen(tables.size());
  for (const TablePiece& piece : placed.group().pieces) {
    const EmbeddingBagConfig& table = tables[piece.table];
    call.require(placed.group().width == table.embedding_dim, "table \"", table.name,
                 "\" is divided by columns, but its rows are not pooled: divide it by rows, or leave it on one device");
    if (seen[piece.table]) continue;
    seen[piece.table] = true;
    for (const std::string& feature : table.feature_names) {
      call.require(!contains(features, feature), "the feature \"", feature,
                   "\" looks up several tables that are divided alike: make a collection for each");
      features.push_back(feature);
    }
  }
}

}  // namespace

KeyedRows::KeyedRows(std::vector<std::string> keys, const KeyedJaggedTensor& features,
                     std::vector<std::int64_t> of_features, std::vector<std::int64_t> sources, std::vector<Tensor> rows)
    : keys_(std::move(keys)),
      features_(features),
      of_features_(std::move(of_features)),
      sources_(std::move(sources)),
      rows_(std::move(rows)) {}

JaggedTensor KeyedRows::at(std::string_view key, std::source_location where) const {
  const record::Call call("KeyedRows.at", where);
  const auto found = std::ranges::find(keys_, key);
  call.require(found != keys_.end(), "there is no key \"", key, "\" among ", detail::joined(keys_));
  const std::size_t i = found - keys_.begin();
  return part_of(features_, of_features_[i], rows_[sources_[i]], features_.weights());
}

EmbeddingCollection::EmbeddingCollection(std::vector<EmbeddingConfig> tables, EmbeddingOptions options,
                                         std::source_location where)
    : options_(std::move(options)) {
  const record::Call call("EmbeddingCollection", where);
  for (EmbeddingConfig& table : tables)
    tables_.push_back({.num_embeddings = table.num_embeddings,
                       .embedding_dim = table.embedding_dim,
                       .name = std::move(table.name),
                       .feature_names = std::move(table.feature_names),
                       .data_type = table.data_type,
                       .weight_init_min = table.weight_init_min,
                       .weight_init_max = table.weight_init_max,
                       .init_fn = std::move(table.init_fn),
                       .sparse_update = table.sparse_update});
  detail::check_tables(call, tables_);
  result_keys_ = detail::result_keys(tables_);
  std::vector<Tensor> initial;
  for (const EmbeddingBagConfig& table : tables_) initial.push_back(detail::initial_rows(call, table));
  if (options_.plan) placed_ = detail::divide_tables(call, tables_, *options_.plan, initial);
  for (const PlacedTables& placed : placed_) check_placed(call, tables_, placed);
  std::size_t result = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const bool is_placed = std::ranges::any_of(placed_, [t](const PlacedTables& placed) { return placed.has(t); });
    weights_.emplace_back(is_placed ? Tensor() : initial[t]).sparse_update = tables_[t].sparse_update;
    for (std::size_t f = 0; f < tables_[t].feature_names.size(); ++f, ++result)
      if (!is_placed) add_to_lookup(t, f, result);
  }
}

void EmbeddingCollection::add_to_lookup(std::size_t table, std::size_t feature, std::size_t result) {
  const std::string& name = tables_[table].feature_names[feature];
  const auto fits = [&](const Lookup& lookup) {
    return lookup.width == tables_[table].embedding_dim && !contains(lookup.names, name);
  };
  auto lookup = std::ranges::find_if(lookups_, fits);
  if (lookup == lookups_.end())
    lookup = lookups_.insert(lookups_.end(),
                             Lookup{.width = tables_[table].embedding_dim, .tables = {}, .features = {}, .names = {}});
  lookup->tables.push_back(table);
  lookup->features.push_back(result);
  lookup->names.push_back(name);
}

KeyedRows EmbeddingCollection::operator()(const KeyedJaggedTensor& features, std::source_location where) const {
  const Scope scope = enter();
  const record::Call call("EmbeddingCollection", where);
  const std::vector<std::vector<std::int64_t>> keys = detail::keys_of_tables(call, tables_, features);
  std::vector<std::int64_t> of_features, sources(result_keys_.size());
  for (const std::vector<std::int64_t>& of_table : keys)
    of_features.insert(of_features.end(), of_table.begin(), of_table.end());
  Bags bags = features.bags();
  bags.weights = {};
  const std::string names = detail::joined(features.keys());
  std::vector<Tensor> rows;
  for (const Lookup& lookup : lookups_) {
    std::vector<Tensor> tables;
    std::vector<PooledKey> entries;
    std::vector<std::int64_t> counters;
    std::vector<std::size_t> numbers;  // of the tables so far
    for (std::size_t i = 0; i < lookup.features.size(); ++i) {
      const std::size_t t = lookup.tables[i];
      if (std::ranges::find(numbers, t) == numbers.end()) {
        numbers.push_back(t);
        tables.push_back(weights_[t]);
        const std::vector<std::int64_t> of_table = detail::counters_of(tables_[t]);
        counters.insert(counters.end(), of_table.begin(), of_table.end());
      }
      const std::int64_t table = std::ranges::find(numbers, t) - numbers.begin();
      entries.push_back({.key = of_features[lookup.features[i]], .table = table});
      sources[lookup.features[i]] = std::ssize(rows);
    }
    const LookupOptions options{.bounds = options_.bounds, .names = names, .pools = false, .counters = counters};
    rows.push_back(embedding_bag(tables, bags, entries, options, where));
  }
  const LookupOptions options{.bounds = options_.bounds, .names = names, .pools = false};
  for (const PlacedTables& placed : placed_) {
    std::size_t result = 0;
    for (std::size_t t = 0; t < tables_.size(); ++t)
      for (std::size_t f = 0; f < tables_[t].feature_names.size(); ++f, ++result)
        if (placed.has(t)) sources[result] = std::ssize(rows);
    rows.push_back(placed.look_up(bags, 0, keys, options, where));
  }
  return {result_keys_, features, std::move(of_features), std::move(sources), std::move(rows)};
}

Tensor EmbeddingCollection::renewal(std::span<const EvictedRows> evicted, std::source_location where) const {
  const record::Call call("EmbeddingCollection", where);
  const detail::Renewal renewal = detail::renewal_of(call, tables_, evicted, false, options_.plan);
  const KeyedRows looked_up = (*this)(renewal.features, where);
  Tensor all = zeros({}, ir::pooled_dtype(tables_[0].data_type));
  for (const detail::Renewal::Part& part : renewal.parts)
    all = all + sum(narrow(select(looked_up.at(part.key).padded(1), 1, 0), 0, 0, part.rows.size(0)) * part.rows);
  return all;
}

Parameter& EmbeddingCollection::weight(std::string_view table) {
  Parameter& weight = weights_[detail::index_of("EmbeddingCollection", tables_, table)];
  require(weight.defined(), "EmbeddingCollection.weight: the table \"", table,
          "\" is divided among devices; rows returns its rows");
  return weight;
}

Tensor EmbeddingCollection::rows(std::string_view table) const {
  const std::size_t t = detail::index_of("EmbeddingCollection", tables_, table);
  const auto placed = std::ranges::find_if(placed_, [t](const PlacedTables& tables) { return tables.has(t); });
  return placed == placed_.end() ? weights_[t].tensor() : placed->table(t);
}

}  // namespace weft::embed
