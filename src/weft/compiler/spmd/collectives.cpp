#include <weft/compiler/spmd/collectives.h>

#include <algorithm>
#include <array>
#include <map>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

constexpr std::int64_t channel =
    1;  // collectives meet in program order, so one channel serves all, as in JAX's programs

Type with_size(Type type, int dim, std::int64_t size) {
  std::vector<Dim> dims(type.dims().begin(), type.dims().end());
  dims[dim] = size;
  return Type(type.dtype(), dims);
}

std::shared_ptr<const ir::Graph> body_of(ir::Reduction reduction, DType dtype) {
  const ir::Op* const ops[] = {&ir::ops::add, &ir::ops::maximum, &ir::ops::minimum};
  return ir::reduction_body(*ops[static_cast<int>(reduction)], dtype);
}

ir::Node& append(ir::Graph& graph, const ir::Op& op, ir::Value x, const void* attributes, Type type,
                 std::shared_ptr<const ir::Graph> body = nullptr) {
  const std::array operands{x};
  const std::array types{type};
  const std::array bodies{std::move(body)};
  return graph.append(op, operands, attributes, types, std::span(bodies).first(bodies.front() ? 1 : 0));
}

ir::Value scalar(ir::Graph& graph, std::int64_t value) { return ir::constant(graph, Type(DType::i64, {}), value); }

}  // namespace

ir::Value Collectives::coordinate(int axis) {
  ir::Value& found = coordinates_[axis];
  if (found) return found;
  std::int64_t stride = 1;
  for (const auto& minor : mesh_.axes().subspan(axis + 1)) stride *= minor.size;
  const ir::Value device = ir::convert(graph_.append(ir::ops::partition_id, {}).result(), DType::i64);
  return found = ir::remainder(device / scalar(graph_, stride), scalar(graph_, mesh_.size(axis)));
}

ir::Value Collectives::position(std::span<const int> axes) {
  ir::Value position = coordinate(axes.front());
  for (const int axis : axes.subspan(1)) position = position * scalar(graph_, mesh_.size(axis)) + coordinate(axis);
  return position;
}

ir::IntMatrix Collectives::groups(std::span<const int> axes) {
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>>
      by_place;  // devices, by their coordinates along the other axes
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

ir::Value Collectives::note(ir::Node& node, const ir::Sharding::Axes& axes, double ring_bytes) {
  const double n = ir::devices_along(mesh_, axes);
  communications_.push_back({&node, reason_, axes, (n - 1) / n * ring_bytes});
  return node.result();
}

ir::Value Collectives::all_reduce(ir::Value x, const ir::Sharding::Axes& axes, ir::Reduction reduction) {
  ir::AllReduceAttributes attributes;
  attributes.groups = groups(axes);
  attributes.channel = channel;
  attributes.use_global_device_ids = true;
  return note(append(graph_, ir::ops::all_reduce, x, &attributes, x.type(), body_of(reduction, x.dtype())), axes,
              2.0 * x.type().bytes());
}

ir::Value Collectives::reduce_scatter(ir::Value x, int dim, const ir::Sharding::Axes& axes, ir::Reduction reduction) {
  ir::ReduceScatterAttributes attributes;
  attributes.dimension = dim;
  attributes.groups = groups(axes);
  attributes.channel = channel;
  attributes.use_global_device_ids = true;
  const Type type = with_size(x.type(), dim, x.size(dim) / ir::devices_along(mesh_, axes));
  return note(append(graph_, ir::ops::reduce_scatter, x, &attributes, type, body_of(reduction, x.dtype())), axes,
              x.type().bytes());
}

ir::Value Collectives::all_gather(ir::Value x, int dim, const ir::Sharding::Axes& axes) {
  ir::AllGatherAttributes attributes;
  attributes.dimension = dim;
  attributes.groups = groups(axes);
  attributes.channel = channel;
  attributes.use_global_device_ids = true;
  const Type type = with_size(x.type(), dim, x.size(dim) * ir::devices_along(mesh_, axes));
  return note(append(graph_, ir::ops::all_gather, x, &attributes, type), axes, type.bytes());
}

ir::Value Collectives::all_to_all(ir::Value x, int split_dim, int concat_dim, const ir::Sharding::Axes& axes) {
  const std::int64_t members = ir::devices_along(mesh_, axes);
  ir::AllToAllAttributes attributes;
  attributes.dimension = split_dim;
  attributes.concat_dimension = concat_dim;
  attributes.split_count = members;
  attributes.groups = groups(axes);
  attributes.channel = channel;
  Type type = with_size(x.type(), split_dim, x.size(split_dim) / members);
  type = with_size(type, concat_dim, type.size(concat_dim) * members);
  return note(append(graph_, ir::ops::all_to_all, x, &attributes, type), axes, x.type().bytes());
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
