#include <weft/train/parallelism.h>

#include <algorithm>
#include <charconv>
#include <string>

#include <weft/base/error.h>

namespace weft::train {

namespace {

constexpr std::string_view data_axis = "data", model_axis = "model";

}  // namespace

bool Parallelism::has_axis(std::string_view name) const {
  return mesh && std::ranges::find(mesh->axes(), name, &Mesh::Axis::name) != mesh->axes().end();
}

void Parallelism::check(std::int64_t batch) const {
  require(zero == 0 || has_axis(data_axis), "zero ", zero,
          " divides the training state along the axis data, which the ",
          mesh ? "mesh lacks" : "run lacks: name a mesh with it, such as data=4");
  if (!mesh) return;
  for (const Mesh::Axis& axis : mesh->axes())
    require(axis.name == data_axis || axis.name == model_axis, "mesh: the axes are data and model, not ", axis.name);
  if (!has_axis(data_axis)) return;
  const std::int64_t parts = mesh->size(mesh->axis(data_axis)), below = batch / parts * parts;
  if (batch % parts != 0)
    fail("batch: ", batch, " rows do not divide among the ", parts, " devices of the axis data; ",
         below > 0 ? concat(below, " and ") : "", below + parts, " rows do");
}

Mesh parse_mesh(std::string_view text) {
  std::vector<Mesh::Axis> axes;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view axis = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(axis.size() + 1, rest.size()));
    const std::size_t equals = axis.find('=');
    std::int64_t size = 0;
    const std::string_view digits = equals == std::string_view::npos ? std::string_view() : axis.substr(equals + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    require(error == std::errc() && end == digits.data() + digits.size() && size > 0, "mesh: '", axis,
            "' is not an axis and the number of devices along it, such as data=4");
    axes.push_back({std::string(axis.substr(0, equals)), size});
  }
  require(!axes.empty(), "mesh: no axis is given; write it as data=4 or data=4,model=2");
  return Mesh(std::move(axes));
}

void shard_parameters(const std::vector<NamedParameter>& parameters, const Parallelism& parallelism,
                      const std::vector<ShardingPattern>& layers) {
  if (!parallelism.mesh) return;
  shard(parameters, parallelism.has_axis(model_axis) ? layers : std::vector<ShardingPattern>(), *parallelism.mesh);
  if (parallelism.zero >= 3) shard(parameters, zero::over(std::string(data_axis)), *parallelism.mesh);
}

void shard_state(const std::vector<NamedParameter>& state, const Parallelism& parallelism) {
  if (parallelism.zero >= 1) shard(state, zero::over(std::string(data_axis)), *parallelism.mesh);
}

Tensor divide_rows(const Tensor& batch, const Parallelism& parallelism) {
  if (!parallelism.mesh) return batch;
  const Mesh& mesh = *parallelism.mesh;
  const bool divides = parallelism.has_axis(data_axis) && batch.size(0) % mesh.size(mesh.axis(data_axis)) == 0;
  return batch.sharded(divides ? PartitionSpec("data") : PartitionSpec{}, mesh);
}

}  // namespace weft::train
