#include <weft/embed/embedding_bags.h>

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

// Joins the blocks of a batch.
Tensor flat(const Tensor& pooled) { return pooled.rank() == 3 ? flatten(pooled, 0, 1) : pooled; }

}  // namespace

EmbeddingBagCollection::EmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables, EmbeddingBagOptions options,
                                               std::source_location where)
    : configs_(std::move(tables)), options_(options) {
  const record::Call call("EmbeddingBagCollection", where);
  detail::check_tables(call, configs_);
  output_keys_ = detail::result_keys(configs_);
  std::vector<Tensor> initial;
  for (const EmbeddingBagConfig& table : configs_) {
    initial.push_back(detail::initial_rows(call, table));
    output_widths_.insert(output_widths_.end(), table.feature_names.size(), table.embedding_dim);
  }
  if (options_.plan) placed_ = detail::divide_tables(call, configs_, *options_.plan, initial);
  for (std::size_t t = 0; t < configs_.size(); ++t) {
    const bool is_placed = std::ranges::any_of(placed_, [t](const PlacedTables& placed) { return placed.has(t); });
    weights_.emplace_back(is_placed ? Tensor() : initial[t]).sparse_update = configs_[t].sparse_update;
  }
}

KeyedTensor EmbeddingBagCollection::operator()(const KeyedJaggedTensor& features, std::source_location where) const {
  const Scope scope = enter();
  const record::Call call("EmbeddingBagCollection", where);
  call.require(!options_.is_weighted || features.weights().defined(),
               "the collection is weighted, but the features have no weights");
  const std::vector<std::vector<std::int64_t>> keys = detail::keys_of_tables(call, configs_, features);
  Bags bags = features.bags();
  if (!options_.is_weighted) bags.weights = {};
  const std::string names = detail::joined(features.keys());
  LookupOptions options{.bounds = options_.bounds, .names = names};

  // Tables of which all devices have all rows are looked up together, and those that are divided for each of their matrices.
  std::vector<PooledKey> pooled;
  std::vector<Tensor> tables, sources;
  std::vector<std::int64_t> counters;
  for (std::size_t t = 0; t < configs_.size(); ++t) {
    if (!weights_[t].defined()) continue;
    for (const std::int64_t key : keys[t])
      pooled.push_back({.key = key, .table = std::ssize(tables), .mean = configs_[t].pooling == Pooling::mean});
    tables.push_back(weights_[t]);
    const std::vector<std::int64_t> of_table = detail::counters_of(configs_[t]);
    counters.insert(counters.end(), of_table.begin(), of_table.end());
  }
  options.counters = counters;
  if (!tables.empty()) sources.push_back(flat(embedding_bag(tables, bags, pooled, options, where)));
  const Tensor& ends = features.ends();
  const std::int64_t of_key = ends.rank() == 3 ? ends.size(0) * ends.size(2) : placed_.empty() ? 0 : ends.size(1);
  for (const PlacedTables& placed : placed_) sources.push_back(placed.look_up(bags, of_key, keys, options, where));
  const Tensor all = placed_.empty() ? sources[0] : in_order(sources);
  return {output_keys_, output_widths_, of_samples(features, keys, all, where), where};
}

// Returns the pooled rows of samples from those of bags, which samples may share.
Tensor EmbeddingBagCollection::of_samples(const KeyedJaggedTensor& features,
                                          std::span<const std::vector<std::int64_t>> keys, const Tensor& pooled,
                                          std::source_location where) const {
  const Tensor& bags = features.bags_of_samples();
  if (!bags.defined()) return pooled;
  std::vector<Tensor> columns;
  std::vector<PooledKey> places;
  std::int64_t first = 0;
  for (std::size_t t = 0; t < keys.size(); ++t)
    for (const std::int64_t key : keys[t]) {
      places.push_back({.key = key, .table = std::ssize(columns)});
      columns.push_back(narrow(pooled, 1, first, configs_[t].embedding_dim));
      first += configs_[t].embedding_dim;
    }
  if (bags.rank() == 2) return take_rows(columns, bags, places, {}, where);
  const std::int64_t blocks = bags.size(0);
  const Tensor one = ones_like(select(bags, 1, 0));
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = flatten(padded_rows(reshape(columns[i], {blocks, -1, columns[i].size(1)}),
                                     select(bags, 1, places[i].key), one, 1, where),
                         0, 2);
  return concatenate(columns, 1);
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

Tensor EmbeddingBagCollection::renewal(std::span<const EvictedRows> evicted, std::source_location where) const {
  const record::Call call("EmbeddingBagCollection", where);
  const detail::Renewal renewal = detail::renewal_of(call, configs_, evicted, options_.is_weighted, options_.plan);
  const KeyedTensor looked_up = (*this)(renewal.features, where);
  Tensor all = zeros({}, ir::pooled_dtype(configs_[0].data_type));
  for (const detail::Renewal::Part& part : renewal.parts)
    all = all + sum(narrow(looked_up.at(part.key), 0, 0, part.rows.size(0)) * part.rows);
  return all;
}

Parameter& EmbeddingBagCollection::weight(std::string_view table) {
  Parameter& weight = weights_[detail::index_of("EmbeddingBagCollection", configs_, table)];
  require(weight.defined(), "EmbeddingBagCollection.weight: the table \"", table,
          "\" is divided among devices; rows returns its rows");
  return weight;
}

Tensor EmbeddingBagCollection::rows(std::string_view table) const {
  const std::size_t t = detail::index_of("EmbeddingBagCollection", configs_, table);
  const auto placed = std::ranges::find_if(placed_, [t](const PlacedTables& tables) { return tables.has(t); });
  return placed == placed_.end() ? weights_[t].tensor() : placed->table(t);
}

}  // namespace weft::embed
