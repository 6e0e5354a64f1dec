#include <weft/compiler/spmd/collectives.h>

#include <algorithm>
#include <numeric>

#include <weft/base/error.h>
#include <weft/ir/builder.h>
#include <weft/ir/counted_loop.h>
#include <weft/ir/device_groups.h>
#include <weft/ir/ops/collective.h>
#include <weft/ir/ops/reduction.h>

namespace weft::compiler {

namespace {

ir::Value scalar(ir::Graph& graph, std::int64_t value) { return ir::constant(graph, Type(DType::i64, {}), value); }

bool communicates(const ir::Node& node) {
  return node.op->collective != ir::Collective::none && node.op->collective != ir::Collective::process_id;
}

// Returns how often the regions of a node run.
std::int64_t steps_of(const ir::Node& node) {
  const auto loop = node.op->flow == ir::Flow::loop ? ir::counted_loop(node) : std::nullopt;
  return loop ? loop->steps : 1;
}

}  // namespace

double sent_bytes(const ir::Node& node, std::int64_t devices) {
  if (!communicates(node)) return 0;
  const ir::Collective kind = node.op->collective;
  const std::vector<ir::ProcessGroup> groups = ir::groups_of(node, 1, devices);
  double bytes = 0;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    bytes += static_cast<double>(std::max(node.operand(i).type().bytes(), node.types[i].bytes()));
  const double n = groups.empty() ? 1 : groups.front().size();
  const bool is_whole = kind == ir::Collective::permute || kind == ir::Collective::broadcast;
  const double share = is_whole ? 1 : (n - 1) / n * (kind == ir::Collective::all_reduce ? 2 : 1);
  return share * bytes;
}

ir::Value Collectives::coordinate(int axis) {
  ir::Value& found = coordinates_[axis];
  if (found) return found;
  return found = ir::device_coordinate(graph_, mesh_, axis);
}

ir::Value Collectives::position(std::span<const int> axes) {
  ir::Value position = coordinate(axes.front());
  for (const int axis : axes.subspan(1)) position = position * scalar(graph_, mesh_.size(axis)) + coordinate(axis);
  return position;
}

ir::Value Collectives::note(ir::Value result, const ir::Sharding::Axes& axes, double ring_bytes) {
  const double n = ir::devices_along(mesh_, axes);
  communications_.push_back({.node = result.node,
                             .reason = reason_->op,
                             .location = reason_->location,
                             .axes = axes,
                             .sent_bytes = (n - 1) / n * ring_bytes});
  return result;
}

void Collectives::add(const ir::Node& node, std::span<const Communication> communications) {
  const std::int64_t steps = steps_of(node);
  for (Communication communication : communications) {
    communication.times *= steps;
    communications_.push_back(communication);
  }
}

void Collectives::add_written(const ir::Node& node, std::int64_t times) {
  const std::int64_t steps = steps_of(node);
  for (const ir::Graph* region : node.regions)
    for (const ir::Node* inner : region->nodes()) add_written(*inner, times * steps);
  if (!communicates(node)) return;
  communications_.push_back({.node = &node,
                             .reason = node.op,
                             .location = node.location,
                             .axes = ir::axes_of(ir::groups_of(node, 1, mesh_.devices()), mesh_),
                             .sent_bytes = compiler::sent_bytes(node, mesh_.devices()),
                             .times = times});
}

ir::Value Collectives::all_reduce(ir::Value x, const ir::Sharding::Axes& axes, ir::Reduction reduction) {
  return note(ir::all_reduce(x, ir::device_groups(graph_, mesh_, axes), ir::reduction_body(reduction, x.dtype())), axes,
              2.0 * x.type().bytes());
}

ir::Value Collectives::reduce_scatter(ir::Value x, int dim, const ir::Sharding::Axes& axes, ir::Reduction reduction) {
  return note(
      ir::reduce_scatter(x, dim, ir::device_groups(graph_, mesh_, axes), ir::reduction_body(reduction, x.dtype())),
      axes, x.type().bytes());
}

ir::Value Collectives::all_gather(ir::Value x, int dim, const ir::Sharding::Axes& axes) {
  const ir::Value whole = ir::all_gather(x, dim, ir::device_groups(graph_, mesh_, axes));
  return note(whole, axes, whole.type().bytes());
}

ir::Value Collectives::all_to_all(ir::Value x, int split_dim, int concat_dim, const ir::Sharding::Axes& axes) {
  return note(ir::all_to_all(x, split_dim, concat_dim, ir::device_groups(graph_, mesh_, axes)), axes, x.type().bytes());
}

ir::Sharding::Axes Collectives::all_axes() const {
  ir::Sharding::Axes all(mesh_.axes().size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

ir::Value Collectives::broadcast(ir::Value x, std::int64_t device) {
  require(device >= 0 && device < mesh_.devices(), "partition: a value is placed on device ", device, " of ",
          mesh_.devices());
  std::vector<std::int64_t> group(mesh_.devices());
  std::iota(group.begin(), group.end(), 0);
  std::swap(group.front(), group[device]);
  const ir::Value sent = ir::collective_broadcast(x, {mesh_.devices(), graph_.arena().copy(ir::Ints(group))});
  communications_.push_back({.node = sent.node,
                             .reason = reason_->op,
                             .location = reason_->location,
                             .axes = all_axes(),
                             .sent_bytes = static_cast<double>(x.type().bytes())});
  return sent;
}

ir::Value Collectives::from_neighbour(ir::Value x, const ir::Sharding::Axes& axes, std::int64_t distance,
                                      ir::Value beyond) {
  const std::int64_t n = ir::devices_along(mesh_, axes);
  const auto is_there = [&](std::int64_t place) { return place >= 0 && place < n; };
  std::vector<std::int64_t> pairs;
  for (const auto& group : ir::device_groups(mesh_, axes))
    for (std::int64_t place = 0; place < n; ++place)
      if (is_there(place - distance)) pairs.insert(pairs.end(), {group[place - distance], group[place]});
  ir::Value moved = ir::constant_like(x, 0);
  if (!pairs.empty()) {
    moved = ir::collective_permute(x, {2, graph_.arena().copy(ir::Ints(pairs))});
    communications_.push_back({.node = moved.node,
                               .reason = reason_->op,
                               .location = reason_->location,
                               .axes = axes,
                               .sent_bytes = static_cast<double>(x.type().bytes())});
  }
  if (!beyond) return moved;  // a device to which nobody sends has zeros
  const ir::Value place = position(axes);
  const ir::Value is_inside = distance > 0 ? ir::compare(place, scalar(graph_, distance), ir::Direction::GE)
                                           : ir::compare(place, scalar(graph_, n + distance), ir::Direction::LT);
  return ir::select(is_inside, moved, ir::broadcast(beyond, x.type()));
}

ir::Value Collectives::with_neighbours(ir::Value x, int dim, const ir::Sharding::Axes& axes, std::int64_t before,
                                       std::int64_t after, ir::Value beyond) {
  const std::int64_t size = x.size(dim);
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> start(x.rank()), limit, strides(x.rank(), 1);
    for (int d = 0; d < x.rank(); ++d) limit.push_back(x.size(d));
    start[dim] = begin;
    limit[dim] = end;
    return ir::slice(x, start, limit, strides);
  };
  std::vector<ir::Value> parts{x};
  for (std::int64_t distance = 1; before > 0; ++distance, before -= size)
    parts.insert(parts.begin(),
                 from_neighbour(part(std::max<std::int64_t>(0, size - before), size), axes, distance, beyond));
  for (std::int64_t distance = 1; after > 0; ++distance, after -= size)
    parts.push_back(from_neighbour(part(0, std::min(size, after)), axes, -distance, beyond));
  return parts.size() == 1 ? x : ir::concatenate(parts, dim);
}

ir::Value Collectives::permute(ir::Value x, const ir::Mesh& from, const ir::Mesh& to) {
  const ir::Sharding::Axes all = all_axes();
  const auto sources = ir::device_groups(from, all).front(), targets = ir::device_groups(to, all).front();
  std::vector<std::int64_t> pairs;
  for (std::size_t place = 0; place < sources.size(); ++place)
    pairs.insert(pairs.end(), {sources[place], targets[place]});
  const ir::Value moved = ir::collective_permute(x, {2, graph_.arena().copy(ir::Ints(pairs))});
  communications_.push_back({.node = moved.node,
                             .reason = reason_->op,
                             .location = reason_->location,
                             .axes = all,
                             .sent_bytes = static_cast<double>(x.type().bytes())});
  return moved;
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
