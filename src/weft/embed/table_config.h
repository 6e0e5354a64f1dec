// The configuration of embedding tables, with TorchRec's names, and what all collections derive from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/embed/jagged.h>
#include <weft/tensor/shape.h>
#include <weft/tensor/tensor.h>

namespace weft::record {
class Call;
}

namespace weft::embed {

enum class Pooling : std::uint8_t { sum, mean };

struct EmbeddingBagConfig {
  std::int64_t num_embeddings = 0, embedding_dim = 0;  // rows, width
  std::string name = {};
  std::vector<std::string> feature_names = {};  // the features that look up this table
  Pooling pooling = Pooling::sum;
  DType data_type = DType::f32;
  // Initial rows are drawn from U(weight_init_min, weight_init_max); default: +-1 / sqrt(num_embeddings).
  std::optional<double> weight_init_min = {}, weight_init_max = {};
  std::function<Tensor(const Shape& shape, DType dtype)> init_fn = {};  // makes the initial rows instead
  bool sparse_update = true;  // false: optimizers get a gradient of the whole table, and update all rows
};

// Throws Error if a name of a table occurs twice, a table has no features or no rows, or a feature occurs twice in one table.
void check_tables(const record::Call& call, const std::vector<EmbeddingBagConfig>& tables);

// Returns the bounds between which initial rows are drawn.
std::pair<double, double> initial_range(const EmbeddingBagConfig& table);

// Returns the key of a feature's pooled rows: "feature@table" if the feature looks up several tables.
std::string output_key(const std::vector<EmbeddingBagConfig>& tables, const EmbeddingBagConfig& table,
                       const std::string& feature);

// Returns the number of the key that is this feature. Throws Error, which names table and feature, if there is none.
std::int64_t key_of(const record::Call& call, const EmbeddingBagConfig& table, const std::string& feature,
                    const KeyedJaggedTensor& features);

// Returns the names, separated by commas.
std::string joined(const std::vector<std::string>& names);

}  // namespace weft::embed
