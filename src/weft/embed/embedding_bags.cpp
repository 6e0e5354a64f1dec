#include <weft/embed/embedding_bags.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/random.h>

namespace weft::embed {

namespace {

void check(const record::Call& call, const std::vector<EmbeddingBagConfig>& tables) {
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

Tensor initial_rows(const EmbeddingBagConfig& table) {
  const Shape shape{table.num_embeddings, table.embedding_dim};
  if (table.init_fn) return table.init_fn(shape, table.data_type);
  const double bound = 1 / std::sqrt(static_cast<double>(table.num_embeddings));
  const double low = table.weight_init_min.value_or(-bound), high = table.weight_init_max.value_or(bound);
  return rand(shape, table.data_type) * constant(high - low, table.data_type) + constant(low, table.data_type);
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += concat(all.empty() ? "" : ",", name);
  return all;
}

}  // namespace

EmbeddingBagCollection::EmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables, EmbeddingBagOptions options,
                                               std::source_location where)
    : configs_(std::move(tables)), options_(options) {
  const record::Call call("EmbeddingBagCollection", where);
  check(call, configs_);
  for (const EmbeddingBagConfig& table : configs_) {
    const Tensor rows = initial_rows(table);
    const Type expected(table.data_type, {table.num_embeddings, table.embedding_dim});
    call.require(rows.type() == expected, "init_fn of table \"", table.name, "\" returned ", rows.type(),
                 " instead of ", expected);
    weights_.emplace_back(rows).sparse_update = table.sparse_update;
    for (const std::string& feature : table.feature_names) {
      const auto looks_up = [&](const EmbeddingBagConfig& other) {
        return std::ranges::find(other.feature_names, feature) != other.feature_names.end();
      };
      output_keys_.push_back(std::ranges::count_if(configs_, looks_up) == 1 ? feature
                                                                            : concat(feature, '@', table.name));
      output_widths_.push_back(table.embedding_dim);
    }
  }
}

KeyedTensor EmbeddingBagCollection::operator()(const KeyedJaggedTensor& features, std::source_location where) const {
  const Scope scope = enter();
  const record::Call call("EmbeddingBagCollection", where);
  call.require(!options_.is_weighted || features.weights().defined(),
               "the collection is weighted, but the features have no weights");
  std::vector<PooledKey> pooled;
  for (std::size_t t = 0; t < configs_.size(); ++t)
    for (const std::string& feature : configs_[t].feature_names) {
      const auto key = std::ranges::find(features.keys(), feature);
      call.require(key != features.keys().end(), "table \"", configs_[t].name, "\" looks up the feature \"", feature,
                   "\", which is not among ", joined(features.keys()));
      pooled.push_back({.key = key - features.keys().begin(),
                        .table = static_cast<std::int64_t>(t),
                        .mean = configs_[t].pooling == Pooling::mean});
    }
  std::vector<Tensor> tables(weights_.begin(), weights_.end());
  Bags bags = features.bags();
  if (!options_.is_weighted) bags.weights = {};
  const std::string names = joined(features.keys());
  return {output_keys_, output_widths_,
          embedding_bag(tables, bags, pooled, {.bounds = options_.bounds, .names = names}, where), where};
}

Parameter& EmbeddingBagCollection::weight(std::string_view table) {
  const auto found = std::ranges::find(configs_, table, &EmbeddingBagConfig::name);
  require(found != configs_.end(), "EmbeddingBagCollection.weight: there is no table \"", table, '"');
  return weights_[found - configs_.begin()];
}

}  // namespace weft::embed
