// Trains embedding tables with gradients and ids from files, for tools/check-sparse.
// Usage: sparse_steps FOLDER OPTIMIZER MEAN STEPS TABLES ROWS WIDTH BATCH [SHARDING DEVICES]. Reads FOLDER/tables (f32 [tables, rows, width]) and for each
// step ids_I (i64), lengths_I (i64 [tables, batch]) and cotangents_I (f32 [batch, tables * width]). Writes the tables to FOLDER/updated and
// what the last step pooled to FOLDER/pooled. MEAN is 1 for means instead of sums. SHARDING says how tables are divided among so many devices.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

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

std::unique_ptr<optim::Optimizer> optimizer_of(const std::string& name, embed::EmbeddingBagCollection& tables) {
  if (name == "sgd") return std::make_unique<optim::SGD>(tables, optim::SGDOptions{.lr = 0.1});
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

void train(const std::string& folder, const std::string& name, bool mean, int steps, const Shape& shape,
           std::int64_t batch, const std::optional<embed::ShardingPlan>& plan) {
  const auto initial = read<float>(folder + "/tables");
  const std::int64_t elements = shape[1].value() * shape[2].value();
  std::vector<embed::EmbeddingBagConfig> configs;
  std::vector<std::string> keys;
  for (std::int64_t t = 0; t < shape[0].value(); ++t) {
    keys.push_back("feature" + std::to_string(t));
    configs.push_back({.num_embeddings = shape[1].value(),
                       .embedding_dim = shape[2].value(),
                       .name = "table" + std::to_string(t),
                       .feature_names = {keys.back()},
                       .pooling = mean ? embed::Pooling::mean : embed::Pooling::sum,
                       .init_fn = [&initial, elements, t](const Shape& of, DType) {
                         return from_span(std::span(initial).subspan(t * elements, elements), of);
                       }});
  }
  embed::EmbeddingBagCollection tables(configs, {.plan = plan});
  const auto optimizer = optimizer_of(name, tables);
  const auto body = [&](const embed::KeyedJaggedTensor& features, const Tensor& cotangents) {
    const Tensor pooled = tables(features).values();
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
    pooled = step(plan ? features.sharded("data", plan->mesh) : features,
                  from_vector(cotangents, {batch, shape[0].value() * shape[2].value()}));
  }
  write(folder + "/pooled", pooled.to_vector<float>());
  std::vector<float> updated;
  for (const embed::EmbeddingBagConfig& table : configs) {
    const auto rows = tables.rows(table.name).to_vector<float>();
    updated.insert(updated.end(), rows.begin(), rows.end());
  }
  write(folder + "/updated", updated);
  require(plan || step.explain().compiles == 1, "sparse_steps: ", step.explain().compiles, " compiles instead of 1");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9 && argc != 11) {
    std::cerr << "usage: sparse_steps FOLDER OPTIMIZER MEAN STEPS TABLES ROWS WIDTH BATCH [SHARDING DEVICES]\n";
    return 2;
  }
  const auto number = [&](int i) { return std::strtoll(argv[i], nullptr, 10); };
  try {
    std::optional<embed::ShardingPlan> plan;
    if (argc == 11) plan = plan_of(argv[9], number(10), number(5));
    train(argv[1], argv[2], number(3) != 0, static_cast<int>(number(4)), {number(5), number(6), number(7)}, number(8),
          plan);
  } catch (const weft::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
