#include <weft/ir/sharding.h>

#include <algorithm>
#include <ostream>

#include <weft/base/error.h>

namespace weft::ir {

std::int64_t devices_along(const Mesh& mesh, std::span<const int> axes) {
  std::int64_t product = 1;
  for (const int axis : axes) product *= mesh.size(axis);
  return product;
}

std::int64_t position_along(const Mesh& mesh, std::span<const int> axes, std::int64_t device) {
  std::int64_t position = 0;
  for (const int axis : axes) position = position * mesh.size(axis) + mesh.coordinate(device, axis);
  return position;
}

Sharding::Sharding(Mesh mesh, std::vector<Axes> dims, Partial partial)
    : mesh_(std::move(mesh)), dims_(std::move(dims)), partial_(std::move(partial)) {
  std::ranges::sort(partial_);
  std::vector<std::uint8_t> used(mesh_.axes().size());
  const auto use = [&](int axis) {
    require(!std::exchange(used[axis], 1), "sharding: axis '", mesh_.axes()[axis].name, "' is used twice in ", *this);
  };
  for (const Axes& axes : dims_) std::ranges::for_each(axes, use);
  for (const auto& [axis, reduction] : partial_) use(axis);
}

bool Sharding::is_replicated() const { return partial_.empty() && std::ranges::all_of(dims_, &Axes::empty); }

std::int64_t Sharding::shards(int dim) const { return devices_along(mesh_, dims_[dim]); }

std::int64_t Sharding::shard(int dim, std::int64_t device) const { return position_along(mesh_, dims_[dim], device); }

Type Sharding::local_type(Type type) const {
  require(type.rank() == rank(), "sharding: ", *this, " has ", rank(), " dimensions, ", type, " has ", type.rank());
  std::vector<Dim> dims(type.dims().begin(), type.dims().end());
  for (int d = 0; d < rank(); ++d) {
    const std::int64_t parts = shards(d);
    if (parts == 1) continue;
    const std::int64_t size = type.size(d);
    require(size % parts == 0, "sharding: dimension ", d, " of ", type, " does not divide into ", parts, " shards of ",
            *this, "; the nearest sizes that do are ", size / parts * parts, " and ", (size / parts + 1) * parts);
    dims[d] = size / parts;
  }
  return Type(type.dtype(), dims);
}

Type Sharding::whole_type(Type local) const {
  std::vector<Dim> dims(local.dims().begin(), local.dims().end());
  for (int d = 0; d < rank(); ++d) dims[d] = dims[d].value() * shards(d);
  return Type(local.dtype(), dims);
}

std::ostream& operator<<(std::ostream& out, Reduction reduction) {
  constexpr const char* names[] = {"sum", "max", "min"};
  return out << names[static_cast<int>(reduction)];
}

std::ostream& operator<<(std::ostream& out, const Sharding& sharding) {
  const auto name = [&](int axis) -> const std::string& { return sharding.mesh_.axes()[axis].name; };
  out << '[';
  for (int d = 0; d < sharding.rank(); ++d) {
    out << (d == 0 ? "{" : ", {");
    for (const char* separator = ""; const int axis : sharding.dims_[d])
      out << std::exchange(separator, ", ") << '"' << name(axis) << '"';
    out << '}';
  }
  out << ']';
  if (sharding.partial_.empty()) return out;
  out << ", unreduced={";
  for (const char* separator = ""; const auto& [axis, reduction] : sharding.partial_) {
    out << std::exchange(separator, ", ") << '"' << name(axis) << '"';
    if (reduction != Reduction::sum) out << ':' << reduction;
  }
  return out << '}';
}

}  // namespace weft::ir
