// Collections of embedding tables, with TorchRec's configuration. One kernel looks up all tables, and one updates them.
//
//   embed::EmbeddingBagCollection tables({
//       {.num_embeddings = 100'000, .embedding_dim = 64, .name = "users", .feature_names = {"user", "friend"}},
//       {.num_embeddings = 10'000, .embedding_dim = 32, .name = "items", .feature_names = {"item"}, .pooling = embed::Pooling::mean},
//   });
//   const embed::KeyedTensor pooled = tables(features);  // of a KeyedJaggedTensor
//
// Optimizers update only the rows that a step looked up, in place (Parameter::sparse_update).
//
// A plan (placement.h) gives each device of a mesh a part of the tables. Nothing else changes: ids and pooled rows are exchanged by
// collectives that follow from where the tables lie.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include <weft/embed/jagged.h>
#include <weft/embed/keyed_tensor.h>
#include <weft/embed/managed_ids.h>
#include <weft/embed/placed_tables.h>
#include <weft/embed/table_configs.h>
#include <weft/tensor/embedding.h>
#include <weft/tensor/module.h>

namespace weft::embed {

struct EmbeddingBagOptions {
  bool is_weighted = false;  // features have weights
  IdBounds bounds = IdBounds::error;
  std::optional<ShardingPlan> plan = {};  // none: all devices have all tables
};

class EmbeddingBagCollection : public Layer {
 public:
  // Throws Error if a name of a table occurs twice, a table has no features or no rows, or a feature occurs twice in one table, and for a
  // plan that does not fit: it says which table lies where.
  explicit EmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables, EmbeddingBagOptions options = {},
                                  std::source_location where = std::source_location::current());

  // Returns the pooled rows of all features, by table and in the order of the configuration. The key of a feature that looks up several
  // tables is "feature@table". Throws Error if a feature is missing, naming it; other features are ignored.
  KeyedTensor operator()(const KeyedJaggedTensor& features,
                         std::source_location where = std::source_location::current()) const;

  const std::vector<EmbeddingBagConfig>& configs() const { return configs_; }
  // Returns the rows of a table. Throws Error for an unknown name, and for a table that is divided among devices.
  Parameter& weight(std::string_view table);
  // Returns the rows of a table, wherever they lie. Throws Error for an unknown name.
  Tensor rows(std::string_view table) const;

  // The tables of which every device has all rows, then the matrices of those that are divided, as placed.row_wise_64.weight.
  // Returns a number whose gradients are new initial values for these rows: renew_rows (managed_ids.h) gives them to an optimizer.
  Tensor renewal(std::span<const EvictedRows> evicted,
                 std::source_location where = std::source_location::current()) const;

  void fields(auto&& field) {
    for (std::size_t t = 0; t < configs_.size(); ++t)
      if (weights_[t].defined()) field("embedding_bags." + configs_[t].name + ".weight", weights_[t]);
    for (PlacedTables& placed : placed_) field("placed." + placed.group().name() + ".weight", placed.rows());
  }

 private:
  Tensor in_order(std::span<const Tensor> sources) const;
  Tensor of_samples(const KeyedJaggedTensor& features, std::span<const std::vector<std::int64_t>> keys,
                    const Tensor& pooled, std::source_location where) const;

  std::vector<EmbeddingBagConfig> configs_;
  EmbeddingBagOptions options_;
  std::vector<Parameter> weights_;    // of each table; undefined if it is divided
  std::vector<PlacedTables> placed_;  // the tables that are divided
  std::vector<std::string> output_keys_;
  std::vector<std::int64_t> output_widths_;
};

}  // namespace weft::embed
