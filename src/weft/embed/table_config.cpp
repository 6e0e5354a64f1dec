#include <weft/embed/table_config.h>

#include <algorithm>
#include <cmath>

#include <weft/record/call.h>

namespace weft::embed {

void check_tables(const record::Call& call, const std::vector<EmbeddingBagConfig>& tables) {
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

std::string output_key(const std::vector<EmbeddingBagConfig>& tables, const EmbeddingBagConfig& table,
                       const std::string& feature) {
  const auto looks_up = [&](const EmbeddingBagConfig& other) {
    return std::ranges::find(other.feature_names, feature) != other.feature_names.end();
  };
  return std::ranges::count_if(tables, looks_up) == 1 ? feature : concat(feature, '@', table.name);
}

std::int64_t key_of(const record::Call& call, const EmbeddingBagConfig& table, const std::string& feature,
                    const KeyedJaggedTensor& features) {
  const auto key = std::ranges::find(features.keys(), feature);
  call.require(key != features.keys().end(), "table \"", table.name, "\" looks up the feature \"", feature,
               "\", which is not among ", joined(features.keys()));
  return key - features.keys().begin();
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += concat(all.empty() ? "" : ",", name);
  return all;
}

}  // namespace weft::embed
