// Trains embedding tables with gradients and ids from files, for tools/check-sparse.
// Usage: sparse_steps FOLDER OPTIMIZER sum|mean|none STEPS TABLES ROWS WIDTH BATCH [SHARDING DEVICES]. Reads FOLDER/tables (f32 [tables,
// rows, width]) and for each step ids_I (i64), lengths_I (i64 [tables, batch]) and cotangents_I (f32 [batch, tables * width], or [ids,
// width] if nothing is pooled). Writes the tables to FOLDER/updated and what the last step pooled to FOLDER/pooled. SHARDING says how
// tables are divided among so many devices.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>

#include <weft/weft.h>

namespace {

using namespace weft;

template <class T>
std::vector<T> read(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  require(in.good(), "sparse_steps: cannot read ", file);
  std::vector<T> values(static_cast<std::size_t>(in.tellg()) / sizeof(T));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

void write(const std::string& file, const std::vector<float>& values) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
}

std::unique_ptr<optim::Optimizer> optimizer_of(const std::string& name, auto& tables) {
  if (name == "sgd") return std::make_unique<optim::SGD>(tables, optim::SGDOptions{.lr = 0.1});
  if (name == "clipped_sgd") {
    auto optimizer = std::make_unique<optim::SGD>(tables, optim::SGDOptions{.lr = 0.1});
    optimizer->max_gradient() = 0.5;
    return optimizer;
  }
  if (name == "adagrad")
    return std::make_unique<optim::Adagrad>(tables, optim::AdagradOptions{.lr = 0.1, .epsilon = 1e-8});
  if (name == "row_wise_adagrad")
    return std::make_unique<optim::RowWiseAdagrad>(tables, optim::RowWiseAdagradOptions{.lr = 0.1});
  if (name == "adam") return std::make_unique<optim::Adam>(tables, optim::AdamOptions{.lr = 0.1, .epsilon = 1e-15});
  if (name == "partial_row_wise_adam")
    return std::make_unique<optim::PartialRowWiseAdam>(tables, optim::PartialRowWiseAdamOptions{.lr = 0.1});
  fail("sparse_steps: there is no optimizer ", name);
}

embed::ShardingPlan plan_of(const std::string& sharding, std::int64_t devices, std::int64_t tables) {
  using embed::TableSharding;
  embed::ShardingPlan plan{.mesh = Mesh{{"data", devices}}, .axes = {"data"}, .tables = {}};
  std::vector<std::int64_t> all(devices);
  std::iota(all.begin(), all.end(), 0);
  for (std::int64_t t = 0; t < tables; ++t) {
    if (sharding == "data_parallel")
      plan.tables.push_back({});
    else if (sharding == "row_wise")
      plan.tables.push_back({TableSharding::row_wise});
    else if (sharding == "table_wise")
      plan.tables.push_back({TableSharding::table_wise, {t % devices}});
    else if (sharding == "column_wise")
      plan.tables.push_back({TableSharding::column_wise, all});
    else
      fail("sparse_steps: there is no sharding ", sharding);
  }
  return plan;
}

// Returns what a collection has looked up.
Tensor values_of(const embed::KeyedTensor& pooled) { return pooled.values(); }
Tensor values_of(const embed::KeyedRows& rows) {  // all tables have one width, so their rows are of one lookup
  const Tensor values = rows.at("feature0").values();
  return values.rank() == 3 ? flatten(values, 0, 1) : values;
}

template <class Config>
std::vector<Config> configs_of(const std::vector<float>& initial, std::int64_t tables, std::int64_t rows,
                               std::int64_t width) {
  std::vector<Config> configs;
  const std::int64_t elements = rows * width;
  for (std::int64_t t = 0; t < tables; ++t)
    configs.push_back({.num_embeddings = rows,
                       .embedding_dim = width,
                       .name = "table" + std::to_string(t),
                       .feature_names = {"feature" + std::to_string(t)},
                       .init_fn = [&initial, elements, t](const Shape& of, DType) {
                         return from_span(std::span(initial).subspan(t * elements, elements), of);
                       }});
  return configs;
}

template <class Collection, class Config>
void train(const std::string& folder, const std::string& name, const std::vector<Config>& configs, int steps,
           std::int64_t batch, const std::optional<embed::ShardingPlan>& plan) {
  Collection tables(configs, {.plan = plan});
  const auto optimizer = optimizer_of(name, tables);
  std::vector<std::string> keys;
  for (const Config& config : configs) keys.push_back(config.feature_names[0]);
  const auto body = [&](const embed::KeyedJaggedTensor& features, const Tensor& cotangents) {
    const Tensor pooled = values_of(tables(features));
    optimizer->step(grad(sum(pooled * cotangents), optimizer->parameters()));
    return pooled;
  };
  const auto step = plan ? compile(plan->mesh, body) : compile(body);
  Tensor pooled;
  for (int i = 0; i < steps; ++i) {
    const std::string number = std::to_string(i);
    const embed::KeyedJaggedTensor features(keys, read<std::int64_t>(folder + "/ids_" + number),
                                            read<std::int64_t>(folder + "/lengths_" + number));
    const auto cotangents = read<float>(folder + "/cotangents_" + number);
    const std::int64_t width = configs[0].embedding_dim, count = std::ssize(cotangents);
    const bool pools = std::is_same_v<Config, embed::EmbeddingBagConfig>;
    const Tensor gradient = from_vector(cotangents, {pools ? batch : count / width, pools ? count / batch : width});
    if (!pools) mark_dynamic(gradient, 0, {.name = "values of feature0"});  // as the ids
    pooled = step(plan ? features.sharded("data", plan->mesh) : features, gradient);
  }
  write(folder + "/pooled", pooled.to_vector<float>());
  std::vector<float> updated;
  for (const Config& table : configs) {
    const auto rows = tables.rows(table.name).template to_vector<float>();
    updated.insert(updated.end(), rows.begin(), rows.end());
  }
  write(folder + "/updated", updated);
  require(plan || step.explain().compiles == 1, "sparse_steps: ", step.explain().compiles, " compiles instead of 1");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9 && argc != 11) {
    std::cerr
        << "usage: sparse_steps FOLDER OPTIMIZER sum|mean|none STEPS TABLES ROWS WIDTH BATCH [SHARDING DEVICES]\n";
    return 2;
  }
  const auto number = [&](int i) { return std::strtoll(argv[i], nullptr, 10); };
  try {
    std::optional<embed::ShardingPlan> plan;
    if (argc == 11) plan = plan_of(argv[9], number(10), number(5));
    const std::string pooling = argv[3];
    const int steps = static_cast<int>(number(4));
    const auto initial = read<float>(argv[1] + std::string("/tables"));
    if (pooling == "none") {
      const auto configs = configs_of<embed::EmbeddingConfig>(initial, number(5), number(6), number(7));
      train<embed::EmbeddingCollection>(argv[1], argv[2], configs, steps, number(8), plan);
    } else {
      auto configs = configs_of<embed::EmbeddingBagConfig>(initial, number(5), number(6), number(7));
      for (auto& config : configs) config.pooling = pooling == "mean" ? embed::Pooling::mean : embed::Pooling::sum;
      train<embed::EmbeddingBagCollection>(argv[1], argv[2], configs, steps, number(8), plan);
    }
  } catch (const weft::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
