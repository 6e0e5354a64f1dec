// Collections of embedding tables whose rows are not pooled: each id has its row, for models of sequences. The configuration is TorchRec's.
//
//   embed::EmbeddingCollection tables({{.num_embeddings = 100'000, .embedding_dim = 64, .name = "items", .feature_names = {"seen"}}});
//   const embed::KeyedRows rows = tables(features);       // of a KeyedJaggedTensor
//   const Tensor history = rows.at("seen").padded(50);    // [batch, 50, 64]
//
// Optimizers update only the rows that a step looked up, in place (Parameter::sparse_update), and a plan (placement.h) divides tables by
// rows, as those of an EmbeddingBagCollection.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <weft/embed/jagged.h>
#include <weft/embed/managed_ids.h>
#include <weft/embed/placed_tables.h>
#include <weft/embed/table_configs.h>
#include <weft/tensor/embedding.h>
#include <weft/tensor/module.h>

namespace weft::embed {

// Rows by key, in bags of different lengths.
class KeyedRows {
 public:
  KeyedRows() = default;
  // `rows` are those that lookups have read: [n, width] for all ids of the features. Key i has those of its feature in rows[sources[i]].
  KeyedRows(std::vector<std::string> keys, const KeyedJaggedTensor& features, std::vector<std::int64_t> of_features,
            std::vector<std::int64_t> sources, std::vector<Tensor> rows);

  const std::vector<std::string>& keys() const { return keys_; }
  // Returns the rows of a key, with the weights of its ids if the features have weights. Throws Error for an unknown one, listing the keys.
  JaggedTensor at(std::string_view key, std::source_location where = std::source_location::current()) const;

  void fields(auto&& field) {
    field("keys", keys_);
    field("features", features_);
    field("of_features", of_features_);
    field("sources", sources_);
    field("rows", rows_);
  }

 private:
  std::vector<std::string> keys_;
  KeyedJaggedTensor features_;
  std::vector<std::int64_t> of_features_, sources_;  // of each key
  std::vector<Tensor> rows_;
};

struct EmbeddingOptions {
  IdBounds bounds = IdBounds::error;
  // None: all devices have all tables. Tables may be divided by rows or lie on one device, not by columns.
  std::optional<ShardingPlan> plan = {};
};

class EmbeddingCollection : public Layer {
 public:
  // Throws Error as EmbeddingBagCollection does, and for a table that is divided by columns, or for a feature of several divided tables.
  explicit EmbeddingCollection(std::vector<EmbeddingConfig> tables, EmbeddingOptions options = {},
                               std::source_location where = std::source_location::current());

  // Returns the rows of all features. The key of a feature that looks up several tables is "feature@table". All tables of one width are
  // looked up together. Throws Error if a feature is missing, naming it; other features are ignored.
  KeyedRows operator()(const KeyedJaggedTensor& features,
                       std::source_location where = std::source_location::current()) const;

  // The same as in EmbeddingBagCollection.
  Parameter& weight(std::string_view table);
  Tensor rows(std::string_view table) const;

  // Returns a number whose gradients are new initial values for these rows: renew_rows (managed_ids.h) gives them to an optimizer.
  Tensor renewal(std::span<const EvictedRows> evicted,
                 std::source_location where = std::source_location::current()) const;

  void fields(auto&& field) {
    for (std::size_t t = 0; t < tables_.size(); ++t)
      if (weights_[t].defined()) field("embeddings." + tables_[t].name + ".weight", weights_[t]);
    for (PlacedTables& placed : placed_) field("placed." + placed.group().name() + ".weight", placed.rows());
  }

 private:
  // Tables that are looked up together. A feature occurs once among them.
  struct Lookup {
    std::int64_t width = 0;
    std::vector<std::size_t> tables;
    std::vector<std::size_t> features;  // numbers of keys of the result
    std::vector<std::string> names;     // of the features
  };
  void add_to_lookup(std::size_t table, std::size_t feature, std::size_t result);

  std::vector<EmbeddingBagConfig> tables_;  // their pooling means nothing
  EmbeddingOptions options_;
  std::vector<Parameter> weights_;    // of each table; undefined if it is divided
  std::vector<PlacedTables> placed_;  // the tables that are divided
  std::vector<Lookup> lookups_;       // of the others
  std::vector<std::string> result_keys_;
};

}  // namespace weft::embed
