// The configurations of embedding tables, and what collections of tables share. Internal but for the configurations.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/embed/jagged.h>
#include <weft/embed/managed_ids.h>
#include <weft/embed/placed_tables.h>
#include <weft/tensor/parameter.h>

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

// The same without pooling.
struct EmbeddingConfig {
  std::int64_t num_embeddings = 0, embedding_dim = 0;
  std::string name = {};
  std::vector<std::string> feature_names = {};
  DType data_type = DType::f32;
  std::optional<double> weight_init_min = {}, weight_init_max = {};
  std::function<Tensor(const Shape& shape, DType dtype)> init_fn = {};
  bool sparse_update = true;
};

namespace detail {

// Throws Error if a name of a table occurs twice, a table has no features or no rows, or a feature occurs twice in one table.
void check_tables(const record::Call& call, std::span<const EmbeddingBagConfig> tables);
// Returns the bounds between which initial rows are drawn.
std::pair<double, double> initial_range(const EmbeddingBagConfig& table);
// Draws the initial rows of a table. Throws Error if its init_fn returns another type.
Tensor initial_rows(const record::Call& call, const EmbeddingBagConfig& table);
// Returns new initial rows of a table, so many.
Tensor drawn_rows(const EmbeddingBagConfig& table, std::int64_t rows);
// Returns the keys of the results for all features of all tables: the feature, or "feature@table" if several tables have it.
std::vector<std::string> result_keys(std::span<const EmbeddingBagConfig> tables);
// Returns for each table the numbers of its features among those of a batch. Throws Error if one is missing, naming it.
std::vector<std::vector<std::int64_t>> keys_of_tables(const record::Call& call,
                                                      std::span<const EmbeddingBagConfig> tables,
                                                      const KeyedJaggedTensor& features);
// Returns where the random bits of the rows of a table begin, and from row to row.
std::vector<std::int64_t> counters_of(const EmbeddingBagConfig& table);
// Places the tables that a plan divides. Throws Error for a plan that does not fit, and for a table that is divided but is not updated by
// rows.
std::vector<PlacedTables> divide_tables(const record::Call& call, std::span<const EmbeddingBagConfig> tables,
                                        const ShardingPlan& plan, std::span<const Tensor> initial);
// A lookup of rows that are to get new values: features with one id for each row, and the new values.
struct Renewal {
  KeyedJaggedTensor features;
  struct Part {
    std::string key;  // of the result
    Tensor rows;      // [rows of this table, width]
  };
  std::vector<Part> parts;
};
// `plan` is that of the collection, if it has one.
Renewal renewal_of(const record::Call& call, std::span<const EmbeddingBagConfig> tables,
                   std::span<const EvictedRows> evicted, bool weighted, const std::optional<ShardingPlan>& plan);
// Returns the number of a table. Throws Error, which begins with the name of the collection, for an unknown name.
std::size_t index_of(const char* collection, std::span<const EmbeddingBagConfig> tables, std::string_view name);
std::string joined(const std::vector<std::string>& names);  // with commas

}  // namespace detail
}  // namespace weft::embed
