#include <weft/ir/sharding.h>

#include <algorithm>
#include <bitset>
#include <mutex>
#include <ostream>
#include <unordered_set>

#include <weft/base/error.h>
#include <weft/base/hash.h>

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

struct Sharding::Registry {
  struct Hash {
    std::size_t operator()(const Data& data) const {
      std::uint64_t hash = data.mesh.devices();
      for (const Axes& axes : data.dims) {
        hash = mix(hash, axes.size());
        for (const int axis : axes) hash = mix(hash, axis);
      }
      for (const auto& [axis, reduction] : data.partial)
        hash = mix(hash, axis + (static_cast<std::uint64_t>(reduction) << 32));
      return hash;
    }
  };

  const Data* intern(Data data) {
    const std::lock_guard lock(mutex);
    return &*shardings.insert(std::move(data)).first;
  }

  static Registry& instance() {
    static auto* registry = new Registry;  // never destroyed: shardings outlive everything
    return *registry;
  }

  std::mutex mutex;
  std::unordered_set<Data, Hash> shardings;  // whose elements keep their addresses
};

Sharding::Sharding(const Mesh& mesh, std::vector<Axes> dims, Partial partial) {
  std::ranges::sort(partial);
  Data data{mesh, std::move(dims), std::move(partial)};
  std::bitset<Mesh::max_axes> used;
  const auto use = [&](int axis) {
    if (used.test(axis)) {
      data_ = &data;  // for the message
      fail("sharding: axis '", mesh.axes()[axis].name, "' is used twice in ", *this);
    }
    used.set(axis);
  };
  for (const Axes& axes : data.dims) std::ranges::for_each(axes, use);
  for (const auto& [axis, reduction] : data.partial) use(axis);
  data_ = Registry::instance().intern(std::move(data));
}

bool Sharding::is_replicated() const { return partial().empty() && std::ranges::all_of(dims(), &Axes::empty); }

std::int64_t Sharding::shards(int dim) const { return devices_along(mesh(), axes(dim)); }

std::int64_t Sharding::shard(int dim, std::int64_t device) const { return position_along(mesh(), axes(dim), device); }

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
  const auto name = [&](int axis) -> const std::string& { return sharding.mesh().axes()[axis].name; };
  out << '[';
  for (int d = 0; d < sharding.rank(); ++d) {
    out << (d == 0 ? "{" : ", {");
    for (const char* separator = ""; const int axis : sharding.axes(d))
      out << std::exchange(separator, ", ") << '"' << name(axis) << '"';
    out << '}';
  }
  out << ']';
  if (sharding.partial().empty()) return out;
  out << ", unreduced={";
  for (const char* separator = ""; const auto& [axis, reduction] : sharding.partial()) {
    out << std::exchange(separator, ", ") << '"' << name(axis) << '"';
    if (reduction != Reduction::sum) out << ':' << reduction;
  }
  return out << '}';
}

}  // namespace weft::ir
