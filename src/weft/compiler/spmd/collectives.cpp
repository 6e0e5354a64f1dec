#include <weft/compiler/spmd/collectives.h>

#include <algorithm>
#include <map>

#include <weft/ir/builder.h>
#include <weft/ir/ops/collective.h>
#include <weft/ir/ops/reduction.h>
#include <weft/ir/process_groups.h>

namespace weft::compiler {

namespace {

ir::Value scalar(ir::Graph& graph, std::int64_t value) { return ir::constant(graph, Type(DType::i64, {}), value); }

}  // namespace

ir::Value Collectives::coordinate(int axis) {
  ir::Value& found = coordinates_[axis];
  if (found) return found;
  std::int64_t stride = 1;
  for (const auto& minor : mesh_.axes().subspan(axis + 1)) stride *= minor.size;
  const ir::Value device = ir::convert(ir::partition_id(graph_), DType::i64);
  return found = ir::remainder(device / scalar(graph_, stride), scalar(graph_, mesh_.size(axis)));
}

ir::Value Collectives::position(std::span<const int> axes) {
  ir::Value position = coordinate(axes.front());
  for (const int axis : axes.subspan(1)) position = position * scalar(graph_, mesh_.size(axis)) + coordinate(axis);
  return position;
}

ir::IntMatrix Collectives::groups(std::span<const int> axes) {
  // The devices of each group, by the coordinates that they share: those along the other axes.
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> by_place;
  const std::int64_t members = ir::devices_along(mesh_, axes);
  for (std::int64_t device = 0; device < mesh_.devices(); ++device) {
    std::vector<std::int64_t> place;
    for (int axis = 0; axis < std::ssize(mesh_.axes()); ++axis)
      if (std::ranges::count(axes, axis) == 0) place.push_back(mesh_.coordinate(device, axis));
    auto& group = by_place[place];
    group.resize(members);
    group[ir::position_along(mesh_, axes, device)] = device;
  }
  std::vector<std::int64_t> all;
  for (const auto& [place, group] : by_place) all.insert(all.end(), group.begin(), group.end());
  return {members, graph_.arena().copy(ir::Ints(all))};
}

ir::Value Collectives::note(ir::Value result, const ir::Sharding::Axes& axes, double ring_bytes) {
  const double n = ir::devices_along(mesh_, axes);
  communications_.push_back({result.node, reason_->op, reason_->location, axes, (n - 1) / n * ring_bytes});
  return result;
}

void Collectives::add_written(const ir::Node& node) {
  for (const ir::Graph* region : node.regions)
    for (const ir::Node* inner : region->nodes()) add_written(*inner);
  const ir::Collective kind = node.op->collective;
  if (kind == ir::Collective::none || kind == ir::Collective::process_id) return;
  const std::vector<ir::ProcessGroup> groups = ir::groups_of(node, 1, mesh_.devices());
  ir::Sharding::Axes axes;
  for (int axis = 0; axis < std::ssize(mesh_.axes()); ++axis) {
    const auto coordinate = [&](ir::ProcessId id) { return mesh_.coordinate(id.partition, axis); };
    const auto crosses = [&](const ir::ProcessGroup& group) {
      return std::ranges::any_of(group, [&](ir::ProcessId id) { return coordinate(id) != coordinate(group.front()); });
    };
    if (std::ranges::any_of(groups, crosses)) axes.push_back(axis);
  }
  double bytes = 0;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    bytes += static_cast<double>(std::max(node.operand(i).type().bytes(), node.types[i].bytes()));
  const double n = groups.empty() ? 1 : groups.front().size();
  const bool is_whole = kind == ir::Collective::permute || kind == ir::Collective::broadcast;
  const double share = is_whole ? 1 : (n - 1) / n * (kind == ir::Collective::all_reduce ? 2 : 1);
  communications_.push_back({&node, node.op, node.location, std::move(axes), share * bytes});
}

ir::Value Collectives::all_reduce(ir::Value x, const ir::Sharding::Axes& axes, ir::Reduction reduction) {
  return note(ir::all_reduce(x, groups(axes), ir::reduction_body(reduction, x.dtype())), axes, 2.0 * x.type().bytes());
}

ir::Value Collectives::reduce_scatter(ir::Value x, int dim, const ir::Sharding::Axes& axes, ir::Reduction reduction) {
  return note(ir::reduce_scatter(x, dim, groups(axes), ir::reduction_body(reduction, x.dtype())), axes,
              x.type().bytes());
}

ir::Value Collectives::all_gather(ir::Value x, int dim, const ir::Sharding::Axes& axes) {
  const ir::Value whole = ir::all_gather(x, dim, groups(axes));
  return note(whole, axes, whole.type().bytes());
}

ir::Value Collectives::all_to_all(ir::Value x, int split_dim, int concat_dim, const ir::Sharding::Axes& axes) {
  return note(ir::all_to_all(x, split_dim, concat_dim, groups(axes)), axes, x.type().bytes());
}

ir::Value Collectives::take_part(ir::Value x, int dim, const ir::Sharding::Axes& axes) {
  const std::int64_t size = x.size(dim) / ir::devices_along(mesh_, axes);
  std::vector<ir::Value> starts(x.rank(), scalar(graph_, 0));
  starts[dim] = position(axes) * scalar(graph_, size);
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < x.rank(); ++d) sizes.push_back(d == dim ? size : x.size(d));
  return ir::dynamic_slice(x, starts, sizes);
}

ir::Value Collectives::keep_on_first(ir::Value x, const ir::Sharding::Axes& axes) {
  const ir::Value is_first = ir::compare(position(axes), scalar(graph_, 0), ir::Direction::EQ);
  return ir::select(is_first, x, ir::constant_like(x, -0.0));  // -0 + x is x, even if x is -0
}

}  // namespace weft::compiler
