#include <apps/ranking/dlrm.h>

#include <weft/tensor/activation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/loss.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>

namespace weft::ranking {

namespace {

constexpr std::int64_t vector_count = CriteoSample::id_count + 1;
constexpr std::int64_t pair_count = vector_count * vector_count;

std::vector<std::int64_t> bottom_sizes(const RankingConfig& config) {
  std::vector<std::int64_t> sizes = config.bottom_widths();
  sizes.insert(sizes.begin(), CriteoSample::number_count);
  sizes.push_back(config.width);
  return sizes;
}

std::vector<std::int64_t> top_sizes(const RankingConfig& config) {
  std::vector<std::int64_t> sizes = config.top_widths();
  sizes.insert(sizes.begin(), config.width + pair_count);
  sizes.push_back(1);
  return sizes;
}

// Returns the products of all pairs of vectors [batch, vectors, width]: [batch, pairs]. Every pair of different ones
// occurs twice: to pick one of them, and to put its gradient back, takes longer than to multiply both by weights.
Tensor dot_products(const Tensor& vectors) {
  return reshape(einsum("bik,bjk->bij", {vectors, vectors}), {vectors.size(0), pair_count});
}

double mlp_parameters(std::span<const std::int64_t> sizes) {
  double count = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) count += (sizes[i - 1] + 1.0) * static_cast<double>(sizes[i]);
  return count;
}

}  // namespace

Mlp::Mlp(std::span<const std::int64_t> widths, bool relu_at_end) : ends_with_relu(relu_at_end) {
  for (std::size_t i = 1; i < widths.size(); ++i) layers.emplace_back(widths[i - 1], widths[i]);
}

Tensor Mlp::operator()(const Tensor& x) const {
  Tensor y = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    y = layers[i](y);
    if (i + 1 < layers.size() || ends_with_relu) y = relu(y);
  }
  return y;
}

std::vector<embed::EmbeddingBagConfig> table_configs(const RankingConfig& config) {
  const std::vector<std::int64_t> rows = config.table_rows();
  std::vector<embed::EmbeddingBagConfig> tables;
  for (std::size_t i = 0; i < CriteoSample::id_count; ++i)
    tables.push_back({.num_embeddings = rows[i],
                      .embedding_dim = config.width,
                      .name = id_feature(i),
                      .feature_names = {id_feature(i)}});
  return tables;
}

// The order in which tables and layers draw their initial values is the same for both kinds of tables.
Dlrm::Dlrm(const RankingConfig& config, std::optional<embed::ShardingPlan> plan,
           const std::filesystem::path& table_folder)
    : bottom((manual_seed(config.seed), bottom_sizes(config)), true),
      tables(config.has_stored_tables()
                 ? std::nullopt
                 : std::optional<embed::EmbeddingBagCollection>(std::in_place, table_configs(config),
                                                                embed::EmbeddingBagOptions{.plan = std::move(plan)})),
      stored(config.has_stored_tables()
                 ? std::optional<embed::StoredEmbeddingBagCollection>(
                       std::in_place, table_configs(config),
                       embed::StoredTablesOptions{.folder = table_folder, .load_factor = config.load_factor})
                 : std::nullopt),
      top(top_sizes(config), false) {}

Tensor Dlrm::logits(const RankingBatch& batch) {
  const std::int64_t samples = batch.numbers.size(0);
  const Tensor numbers = bottom(batch.numbers),
               rows = (stored ? (*stored)(stored->exchange(*batch.stored)) : (*tables)(batch.ids)).values();
  const std::int64_t width = numbers.size(1);
  const Tensor vectors = reshape(concatenate({numbers, rows}, 1), {samples, vector_count, width});
  return reshape(top(concatenate({numbers, dot_products(vectors)}, 1)), {samples});
}

Tensor Dlrm::loss(const RankingBatch& batch) {
  const Tensor losses = binary_cross_entropy_with_logits(logits(batch), batch.labels, Reduction::none);
  return sum(losses * batch.weights) / maximum(sum(batch.weights), 1.f);
}

double Dlrm::parameter_count(const RankingConfig& config) {
  return mlp_parameters(bottom_sizes(config)) + mlp_parameters(top_sizes(config)) + table_elements(config);
}

double Dlrm::table_elements(const RankingConfig& config) {
  double rows = 0;
  for (const std::int64_t of_table : config.table_rows()) rows += static_cast<double>(of_table);
  return rows * static_cast<double>(config.width);
}

}  // namespace weft::ranking
