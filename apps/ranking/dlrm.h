// The Deep Learning Recommendation Model (Naumov et al. 2019): an MLP makes a vector from the numbers of a sample,
// tables give a vector for each of its ids, and a second MLP computes the logit of a click from the vector of the
// numbers and the dot products of all pairs of vectors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <apps/ranking/batches.h>
#include <apps/ranking/ranking_config.h>
#include <weft/embed/embedding_bags.h>
#include <weft/embed/stored_tables.h>
#include <weft/nn/layers.h>
#include <weft/tensor/tensor.h>

namespace weft::ranking {

// Linear layers with ReLU after each; after the last one only if `relu_at_end`.
struct Mlp {
  // Widths from the input to the output.
  Mlp(std::span<const std::int64_t> widths, bool relu_at_end);
  Tensor operator()(const Tensor& x) const;
  void fields(auto&& field) { field("layers", layers); }

  std::vector<nn::Linear> layers = {};
  bool ends_with_relu;
};

struct Dlrm {
  // `plan` divides the tables among devices. `table_folder` is for their files, if config.has_stored_tables().
  Dlrm(const RankingConfig& config, std::optional<embed::ShardingPlan> plan,
       const std::filesystem::path& table_folder = {});

  Tensor logits(const RankingBatch& batch);  // [batch]
  // Returns the mean log loss in nats, over the samples that are not missing.
  Tensor loss(const RankingBatch& batch);
  void fields(auto&& field) {
    field("bottom", bottom);
    field("tables", tables);
    field("tables", stored);
    field("top", top);
  }

  static double parameter_count(const RankingConfig& config);
  static double table_elements(const RankingConfig& config);

  Mlp bottom;
  // The tables are in one of these.
  std::optional<embed::EmbeddingBagCollection> tables;
  std::optional<embed::StoredEmbeddingBagCollection> stored;
  Mlp top;
};

// The tables C1 to C26.
std::vector<embed::EmbeddingBagConfig> table_configs(const RankingConfig& config);

}  // namespace weft::ranking
