#include <weft/ir/device_groups.h>

#include <algorithm>
#include <map>
#include <vector>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::ir {

std::vector<std::vector<std::int64_t>> device_groups(const Mesh& mesh, std::span<const int> axes) {
  // By the coordinates that the devices of a group share: those along the other axes.
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> by_place;
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    std::vector<std::int64_t> place;
    for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis)
      if (std::ranges::count(axes, axis) == 0) place.push_back(mesh.coordinate(device, axis));
    auto& group = by_place[place];
    group.resize(devices_along(mesh, axes));
    group[position_along(mesh, axes, device)] = device;
  }
  std::vector<std::vector<std::int64_t>> groups;
  for (auto& [place, group] : by_place) groups.push_back(std::move(group));
  return groups;
}

IntMatrix device_groups(Graph& graph, const Mesh& mesh, std::span<const int> axes) {
  std::vector<std::int64_t> all;
  for (const auto& group : device_groups(mesh, axes)) all.insert(all.end(), group.begin(), group.end());
  return {devices_along(mesh, axes), graph.arena().copy(Ints(all))};
}

Sharding::Axes axes_of(std::span<const ProcessGroup> groups, const Mesh& mesh) {
  Sharding::Axes axes;
  for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis) {
    const auto coordinate = [&](ProcessId id) { return mesh.coordinate(id.partition, axis); };
    const auto crosses = [&](const ProcessGroup& group) {
      return std::ranges::any_of(group, [&](ProcessId id) { return coordinate(id) != coordinate(group.front()); });
    };
    if (std::ranges::any_of(groups, crosses)) axes.push_back(axis);
  }
  return axes;
}

Value device_coordinate(Graph& graph, const Mesh& mesh, int axis) {
  std::int64_t stride = 1;
  for (const Mesh::Axis& minor : mesh.axes().subspan(axis + 1)) stride *= minor.size;
  Value device = convert(partition_id(graph), DType::i64);
  if (const auto places = mesh.places(); !places.empty()) {
    const Value all = constant(graph, {Type(DType::i64, {Dim(std::ssize(places))}), std::as_bytes(places)});
    device = reshape(dynamic_slice(all, {{device}}, {{1}}), std::vector<Dim>{});
  }
  const auto number = [&](std::int64_t n) { return constant_like(device, static_cast<double>(n)); };
  return remainder(device / number(stride), number(mesh.size(axis)));
}

}  // namespace weft::ir
