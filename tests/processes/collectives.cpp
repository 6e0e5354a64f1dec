// Collectives of all kinds, types and groups, whose results are compared with what one process computes: run.sh starts this program with
// different numbers of processes, and all of them must print the same digest.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <weft/base/digest.h>
#include <weft/train/pipeline.h>
#include <weft/weft.h>

using weft::DType, weft::Mesh, weft::PartitionSpec, weft::Tensor;

namespace {

weft::Digest results;

void add(const std::string& name, const Tensor& x) {
  weft::Digest own;
  own.add(x.bytes());
  results.add(x.bytes());
  if (weft::process_index() == 0) std::cout << name << ' ' << own.hex() << '\n';
}

// Values whose sums depend on the order in which they are added.
Tensor numbers(const weft::Shape& shape, DType dtype) {
  std::int64_t count = 1;
  for (const weft::Dim dim : shape) count *= dim.value();
  std::vector<float> values(count);
  for (std::int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 7919) % 1009 - 504) / (dtype == DType::i32 ? 1.F : 3.7F);
  return weft::from_vector(values, shape).to(dtype);
}

void run_all(const Mesh& mesh, const std::string& axis, DType dtype, std::int64_t rows, std::int64_t columns) {
  const std::string all = mesh.axes().size() == 2 ? "data,model" : "data";
  const std::string name = weft::concat(mesh, " along ", axis, ' ', dtype, ' ', rows, 'x', columns, ": ");
  const Tensor x = numbers({rows * mesh.devices(), columns}, dtype);
  const PartitionSpec by_rows({all});
  const auto per_device = [&](auto function) {
    return weft::per_device(mesh, [&](const Tensor& part) { return function(part); }, {by_rows}, {by_rows})(x);
  };
  add(name + "psum", per_device([&](const Tensor& p) { return weft::psum(p, axis); }));
  add(name + "pmax", per_device([&](const Tensor& p) { return weft::pmax(p, axis); }));
  add(name + "all_gather 0", per_device([&](const Tensor& p) { return weft::all_gather(p, axis, 0); }));
  add(name + "all_gather 1", per_device([&](const Tensor& p) { return weft::all_gather(p, axis, 1); }));
  add(name + "reduce_scatter 0", per_device([&](const Tensor& p) { return weft::reduce_scatter(p, axis, 0); }));
  add(name + "reduce_scatter 1", per_device([&](const Tensor& p) { return weft::reduce_scatter(p, axis, 1); }));
  add(name + "all_to_all", per_device([&](const Tensor& p) { return weft::all_to_all(p, axis, 0, 1); }));
  add(name + "all_to_all back", per_device([&](const Tensor& p) { return weft::all_to_all(p, axis, 1, 0); }));
  add(name + "permute", per_device([&](const Tensor& p) {
        std::vector<weft::Sends> ring;
        for (std::int64_t i = 0; i + 1 < weft::axis_size(axis); ++i) ring.push_back({i, i + 1});
        return weft::permute_devices(p, axis, ring);
      }));
  add(name + "loop", per_device([&](const Tensor& p) {
        // A sum in each round of a loop.
        return weft::while_loop(
            {weft::constant(0, DType::i32), p}, [](const auto& at) { return at[0] < weft::constant(3, DType::i32); },
            [&](const auto& at) {
              const Tensor next = weft::psum(at[1], axis) - at[1];
              return std::vector<Tensor>{at[0] + weft::constant(1, DType::i32), next};
            })[1];
      }));
}

// Embedding tables that are divided among devices: what training makes of them.
void train_tables(const weft::embed::ShardingPlan& plan, const std::string& name) {
  namespace embed = weft::embed;
  const std::int64_t batch = 16;
  std::vector<embed::EmbeddingBagConfig> configs;
  for (const char* table : {"x", "y", "z"})
    configs.push_back(
        {.num_embeddings = 37, .embedding_dim = 16, .name = table, .feature_names = {table}, .init_fn = numbers});
  embed::EmbeddingBagCollection tables(configs, {.plan = plan});
  weft::optim::RowWiseAdagrad optimizer(tables, {.lr = 0.1});
  const auto step = weft::compile(plan.mesh, [&](const embed::KeyedJaggedTensor& features) {
    const Tensor pooled = tables(features).values();
    const Tensor loss = weft::sum(pooled * pooled * pooled);
    optimizer.step(weft::grad(loss, optimizer.parameters()));
    return loss;
  });
  const auto batch_of = [&](std::int64_t i) {
    std::vector<std::int64_t> ids, lengths;
    for (std::int64_t bag = 0; bag < 3 * batch; ++bag) {
      lengths.push_back((bag + i) % 4);
      for (std::int64_t k = 0; k < lengths.back(); ++k) ids.push_back((bag * 31 + k * 7 + i) % 37);
    }
    return embed::KeyedJaggedTensor({"x", "y", "z"}, ids, lengths).sharded("data", plan.mesh);
  };
  for (std::int64_t i = 0; i < 3; ++i) add(name + " loss", step(batch_of(i)));
  weft::train::Pipeline pipeline(step);
  for (std::int64_t i = 0; i < 4; ++i)
    if (const auto loss = pipeline(batch_of(4 * i))) add(name + " loss of a pipeline", *loss);
  while (const auto loss = pipeline.finish()) add(name + " loss of a pipeline", *loss);
  for (const embed::EmbeddingBagConfig& table : configs) add(name + " " + table.name, tables.rows(table.name));
}

}  // namespace

int main() {
  const Mesh line{{"data", 8}}, grid{{"data", 4}, {"model", 2}}, odd{{"data", 24}};
  for (const DType dtype : {DType::f32, DType::bf16, DType::i32}) {
    run_all(line, "data", dtype, 8, 8);
    run_all(line, "data", dtype, 64, 1024);
    run_all(grid, "data", dtype, 8, 16);
    run_all(grid, "model", dtype, 64, 1024);
    run_all(grid, "data,model", dtype, 16, 64);
    run_all(odd, "data", dtype, 24, 48);
  }
  // Reads of tensors whose parts are in several processes.
  const Tensor x = numbers({16, 24}, DType::f32);
  add("read, rows", x.sharded("data", line));
  add("read, columns", x.sharded({"", "data"}, line));
  add("read, grid", x.sharded({"data", "model"}, grid));
  add("read, one axis", x.sharded({"", "model"}, grid));
  add("read of a result", weft::exp(x.sharded({"data", "model"}, grid)) * 2);
  using weft::embed::TableSharding;
  train_tables({line,
                {"data"},
                {{TableSharding::row_wise}, {TableSharding::table_wise, {5}}, {TableSharding::column_wise, {1, 7}}}},
               "tables, line");
  train_tables({grid, {"data", "model"}, {{TableSharding::table_row_wise, {2}}, {TableSharding::grid, {0, 3}}, {}}},
               "tables, grid");
  if (weft::process_index() == 0) std::cout << "all " << results.hex() << std::endl;
  return 0;
}
