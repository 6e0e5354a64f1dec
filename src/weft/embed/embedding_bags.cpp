#include <weft/embed/embedding_bags.h>

#include <algorithm>
#include <utility>

#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>

namespace weft::embed {

namespace {

Tensor initial_rows(const EmbeddingBagConfig& table) {
  const Shape shape{table.num_embeddings, table.embedding_dim};
  if (table.init_fn) return table.init_fn(shape, table.data_type);
  const auto [low, high] = initial_range(table);
  return rand(shape, table.data_type) * constant(high - low, table.data_type) + constant(low, table.data_type);
}

}  // namespace

EmbeddingBagCollection::EmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables, EmbeddingBagOptions options,
                                               std::source_location where)
    : configs_(std::move(tables)), options_(options) {
  const record::Call call("EmbeddingBagCollection", where);
  check_tables(call, configs_);
  std::vector<Tensor> initial;
  for (const EmbeddingBagConfig& table : configs_) {
    const Tensor rows = initial_rows(table);
    const Type expected(table.data_type, {table.num_embeddings, table.embedding_dim});
    call.require(rows.type() == expected, "init_fn of table \"", table.name, "\" returned ", rows.type(),
                 " instead of ", expected);
    initial.push_back(rows);
    for (const std::string& feature : table.feature_names) {
      output_keys_.push_back(output_key(configs_, table, feature));
      output_widths_.push_back(table.embedding_dim);
    }
  }
  if (options_.plan) place(call, initial);
  for (std::size_t t = 0; t < configs_.size(); ++t) {
    const bool is_placed = std::ranges::any_of(placed_, [t](const PlacedTables& placed) { return placed.has(t); });
    weights_.emplace_back(is_placed ? Tensor() : initial[t]).sparse_update = configs_[t].sparse_update;
  }
}

// Makes the matrices of the tables that are divided.
void EmbeddingBagCollection::place(const record::Call& call, std::span<const Tensor> initial) {
  std::vector<TableOfCollection> tables;
  for (const EmbeddingBagConfig& table : configs_)
    tables.push_back({.name = table.name,
                      .rows = table.num_embeddings,
                      .width = table.embedding_dim,
                      .mean = table.pooling == Pooling::mean,
                      .features = std::ssize(table.feature_names)});
  for (PlacedGroup& group : place_tables(tables, *options_.plan)) {
    for (const TablePiece& piece : group.pieces)
      call.require(
          configs_[piece.table].sparse_update, "table \"", configs_[piece.table].name,
          "\" is divided, so its rows are updated where they lie: leave sparse_update true, or make it data_parallel");
    PlacedTables& placed = placed_.emplace_back(std::move(group), tables, *options_.plan);
    placed.set(initial);
    placed.rows().sparse_update = true;
  }
}

KeyedTensor EmbeddingBagCollection::operator()(const KeyedJaggedTensor& features, std::source_location where) const {
  const Scope scope = enter();
  const record::Call call("EmbeddingBagCollection", where);
  call.require(!options_.is_weighted || features.weights().defined(),
               "the collection is weighted, but the features have no weights");
  std::vector<std::vector<std::int64_t>> keys;  // of the features of each table
  for (const EmbeddingBagConfig& table : configs_) {
    keys.emplace_back();
    for (const std::string& feature : table.feature_names)
      keys.back().push_back(key_of(call, table, feature, features));
  }
  Bags bags = features.bags();
  if (!options_.is_weighted) bags.weights = {};
  const std::string names = joined(features.keys());
  const LookupOptions options{.bounds = options_.bounds, .names = names};

  // Tables of which all devices have all rows are looked up together, and those that are divided for each of their matrices.
  std::vector<PooledKey> pooled;
  std::vector<Tensor> tables, sources;
  for (std::size_t t = 0; t < configs_.size(); ++t) {
    if (!weights_[t].defined()) continue;
    for (const std::int64_t key : keys[t])
      pooled.push_back({.key = key, .table = std::ssize(tables), .mean = configs_[t].pooling == Pooling::mean});
    tables.push_back(weights_[t]);
  }
  const std::int64_t batch = features.batch();
  if (!tables.empty()) sources.push_back(reshape(embedding_bag(tables, bags, pooled, options, where), {batch, -1}));
  if (placed_.empty()) return {output_keys_, output_widths_, sources[0], where};
  for (const PlacedTables& placed : placed_) sources.push_back(placed.look_up(bags, batch, keys, options, where));
  return {output_keys_, output_widths_, in_order(sources), where};
}

// Returns the pooled rows of all features in the order of the configuration.
Tensor EmbeddingBagCollection::in_order(std::span<const Tensor> sources) const {
  std::vector<PooledColumns> columns;
  const std::size_t first_placed = sources.size() - placed_.size();
  std::int64_t replicated = 0;  // columns of tables that are not divided, so far
  for (std::size_t t = 0; t < configs_.size(); ++t)
    for (std::int64_t f = 0; f < std::ssize(configs_[t].feature_names); ++f) {
      if (weights_[t].defined()) {
        columns.push_back({0, replicated, configs_[t].embedding_dim});
        replicated += configs_[t].embedding_dim;
      }
      for (std::size_t p = 0; p < placed_.size(); ++p) placed_[p].append_columns(t, f, first_placed + p, columns);
    }
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < columns.size();) {
    PooledColumns run = columns[i++];
    for (; i < columns.size() && columns[i].source == run.source && columns[i].first == run.first + run.count; ++i)
      run.count += columns[i].count;
    parts.push_back(narrow(sources[run.source], 1, run.first, run.count));
  }
  return concatenate(parts, 1);
}

std::size_t EmbeddingBagCollection::index_of(std::string_view table) const {
  const auto found = std::ranges::find(configs_, table, &EmbeddingBagConfig::name);
  require(found != configs_.end(), "EmbeddingBagCollection: there is no table \"", table, '"');
  return found - configs_.begin();
}

Parameter& EmbeddingBagCollection::weight(std::string_view table) {
  Parameter& weight = weights_[index_of(table)];
  require(weight.defined(), "EmbeddingBagCollection.weight: the table \"", table,
          "\" is divided among devices; rows returns its rows");
  return weight;
}

Tensor EmbeddingBagCollection::rows(std::string_view table) const {
  const std::size_t t = index_of(table);
  const auto placed = std::ranges::find_if(placed_, [t](const PlacedTables& tables) { return tables.has(t); });
  return placed == placed_.end() ? weights_[t].tensor() : placed->table(t);
}

}  // namespace weft::embed
