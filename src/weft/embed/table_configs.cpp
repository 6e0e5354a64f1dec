#include <weft/embed/table_configs.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <weft/ir/ops/embedding.h>
#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/random.h>
#include <weft/tensor/rounding.h>

namespace weft::embed::detail {

void check_tables(const record::Call& call, std::span<const EmbeddingBagConfig> tables) {
  call.require(!tables.empty(), "there are no tables");
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const EmbeddingBagConfig& table = tables[t];
    call.require(!table.name.empty(), "table ", t, " has no name");
    for (std::size_t before = 0; before < t; ++before)
      call.require(tables[before].name != table.name, "two tables have the name \"", table.name, '"');
    call.require(table.num_embeddings > 0 && table.embedding_dim > 0, "table \"", table.name, "\" has ",
                 table.num_embeddings, " rows of width ", table.embedding_dim, "; both must be positive");
    call.require(is_float(table.data_type) && table.data_type == tables[0].data_type, "table \"", table.name,
                 "\" is of ", table.data_type, ", the first of ", tables[0].data_type,
                 "; make a collection for each dtype");
    call.require(!table.feature_names.empty(), "table \"", table.name, "\" has no features");
    for (auto feature = table.feature_names.begin(); feature != table.feature_names.end(); ++feature)
      call.require(std::find(table.feature_names.begin(), feature, *feature) == feature, "table \"", table.name,
                   "\" has the feature \"", *feature, "\" twice");
  }
}

std::pair<double, double> initial_range(const EmbeddingBagConfig& table) {
  const double bound = 1 / std::sqrt(static_cast<double>(table.num_embeddings));
  return {table.weight_init_min.value_or(-bound), table.weight_init_max.value_or(bound)};
}

Tensor drawn_rows(const EmbeddingBagConfig& table, std::int64_t rows) {
  const Shape shape{rows, table.embedding_dim};
  if (table.init_fn) return table.init_fn(shape, table.data_type);
  const auto [low, high] = initial_range(table);
  return rand(shape, table.data_type) * constant(high - low, table.data_type) + constant(low, table.data_type);
}

Tensor initial_rows(const record::Call& call, const EmbeddingBagConfig& table) {
  const Tensor rows = drawn_rows(table, table.num_embeddings);
  const Type expected(table.data_type, {table.num_embeddings, table.embedding_dim});
  call.require(rows.type() == expected, "init_fn of table \"", table.name, "\" returned ", rows.type(), " instead of ",
               expected);
  return rows;
}

std::vector<std::string> result_keys(std::span<const EmbeddingBagConfig> tables) {
  std::vector<std::string> keys;
  for (const EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names) {
      const auto looks_up = [&](const EmbeddingBagConfig& other) {
        return std::ranges::find(other.feature_names, feature) != other.feature_names.end();
      };
      keys.push_back(std::ranges::count_if(tables, looks_up) == 1 ? feature : concat(feature, '@', table.name));
    }
  return keys;
}

std::vector<std::vector<std::int64_t>> keys_of_tables(const record::Call& call,
                                                      std::span<const EmbeddingBagConfig> tables,
                                                      const KeyedJaggedTensor& features) {
  std::vector<std::vector<std::int64_t>> keys;
  for (const EmbeddingBagConfig& table : tables) {
    keys.emplace_back();
    for (const std::string& feature : table.feature_names) {
      const auto key = std::ranges::find(features.keys(), feature);
      call.require(key != features.keys().end(), "table \"", table.name, "\" looks up the feature \"", feature,
                   "\", which is not among ", joined(features.keys()));
      keys.back().push_back(key - features.keys().begin());
    }
  }
  return keys;
}

std::vector<std::int64_t> counters_of(const EmbeddingBagConfig& table) {
  return {rounding_counter(table.name), ir::counters_of_row(table.embedding_dim)};
}

std::vector<PlacedTables> divide_tables(const record::Call& call, std::span<const EmbeddingBagConfig> configs,
                                        const ShardingPlan& plan, std::span<const Tensor> initial) {
  std::vector<TableOfCollection> tables;
  for (const EmbeddingBagConfig& table : configs)
    tables.push_back({.name = table.name,
                      .rows = table.num_embeddings,
                      .width = table.embedding_dim,
                      .mean = table.pooling == Pooling::mean,
                      .features = std::ssize(table.feature_names)});
  std::vector<PlacedTables> all;
  for (PlacedGroup& group : place_tables(tables, plan)) {
    for (const TablePiece& piece : group.pieces)
      call.require(
          configs[piece.table].sparse_update, "table \"", configs[piece.table].name,
          "\" is divided, so its rows are updated where they lie: leave sparse_update true, or make it data_parallel");
    PlacedTables& placed = all.emplace_back(std::move(group), tables, plan);
    placed.set(initial);
    placed.rows().sparse_update = true;
  }
  return all;
}

Renewal renewal_of(const record::Call& call, std::span<const EmbeddingBagConfig> tables,
                   std::span<const EvictedRows> evicted, bool weighted, const std::optional<ShardingPlan>& plan) {
  Renewal renewal;
  std::vector<const EvictedRows*> of_table(tables.size());
  std::int64_t batch = 0;
  for (const EvictedRows& rows : evicted) {
    of_table[index_of(call.function(), tables, rows.table)] = &rows;
    batch = std::max(batch, std::ssize(rows.rows));
  }
  const std::vector<std::string> results = result_keys(tables);
  std::vector<std::string> keys;
  std::vector<std::int64_t> ids, lengths;
  std::size_t result = 0;
  if (plan) batch = (batch + plan->devices() - 1) / plan->devices() * plan->devices();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const std::string& feature : tables[t].feature_names) {
      const std::string& key = results[result++];
      if (std::ranges::find(keys, feature) != keys.end()) continue;
      keys.push_back(feature);
      std::int64_t count = 0;
      if (of_table[t] && key == feature) {  // a feature that reads no other table
        const std::vector<std::int64_t>& rows = of_table[t]->rows;
        count = std::ssize(rows);
        ids.insert(ids.end(), rows.begin(), rows.end());
        renewal.parts.push_back({key, drawn_rows(tables[t], count)});
        of_table[t] = nullptr;
      }
      lengths.insert(lengths.end(), count, 1);
      lengths.resize(keys.size() * batch);
    }
    call.require(of_table[t] == nullptr, "rows of table \"", tables[t].name,
                 "\" cannot be renewed: other tables have all of its features");
  }
  IdWeights weights;
  if (weighted) weights = std::vector<float>(ids.size(), 1);
  renewal.features = KeyedJaggedTensor(std::move(keys), std::move(ids), lengths, std::move(weights));
  if (!plan) return renewal;
  std::string axes;
  for (const std::string& axis : plan->axes) axes += concat(axes.empty() ? "" : ",", axis);
  renewal.features = renewal.features.sharded(axes, plan->mesh);
  return renewal;
}

std::size_t index_of(const char* collection, std::span<const EmbeddingBagConfig> tables, std::string_view name) {
  const auto found = std::ranges::find(tables, name, &EmbeddingBagConfig::name);
  require(found != tables.end(), collection, ": there is no table \"", name, '"');
  return found - tables.begin();
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += concat(all.empty() ? "" : ",", name);
  return all;
}

}  // namespace weft::embed::detail
