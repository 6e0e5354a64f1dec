#include <weft/ir/shards.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <ranges>
#include <type_traits>

#include <weft/base/error.h>

namespace weft::ir {

namespace {

// Calls copy(position in the whole, position in the shard) for each run of consecutive elements of a device's shard.
void for_each_run(Type whole, Type local, const Sharding& sharding, std::int64_t device,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t count)>& copy) {
  if (local.elements() == 0) return;
  const int rank = local.rank();
  std::vector<std::int64_t> strides(rank), index(rank);
  row_major_strides(whole.dims(), strides);
  std::int64_t first = 0;
  for (int d = 0; d < rank; ++d) first += sharding.shard(d, device) * local.size(d) * strides[d];
  const std::int64_t run = rank == 0 ? 1 : local.size(rank - 1);
  for (std::int64_t done = 0; done < local.elements(); done += run) {
    copy(first, done, run);
    for (int d = rank - 2; d >= 0; --d) {  // the next row
      first += strides[d];
      if (++index[d] < local.size(d)) break;
      first -= index[d] * strides[d];
      index[d] = 0;
    }
  }
}

// Returns a device's position along the axes of which the sharding holds parts.
std::int64_t part_number(const Sharding& sharding, std::int64_t device) {
  std::vector<int> axes;
  for (const auto& [axis, reduction] : sharding.partial()) axes.push_back(axis);
  return position_along(sharding.mesh(), axes, device);
}

// Returns whether two devices differ only in their positions along partial axes.
bool hold_parts_of_one_copy(const Sharding& sharding, std::int64_t a, std::int64_t b) {
  const Mesh& mesh = sharding.mesh();
  for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis) {
    const bool is_partial = std::ranges::count(sharding.partial() | std::views::keys, axis) != 0;
    if (!is_partial && mesh.coordinate(a, axis) != mesh.coordinate(b, axis)) return false;
  }
  return true;
}

template <class T>
T identity_of(Reduction reduction) {
  using Limits = std::numeric_limits<T>;
  if (reduction == Reduction::sum) return static_cast<T>(-0.0);  // -0 + x is x, even if x is -0
  if constexpr (Limits::has_infinity) return reduction == Reduction::max ? -Limits::infinity() : Limits::infinity();
  return reduction == Reduction::max ? Limits::lowest() : Limits::max();
}

void fill_with_identity(Array& array, Reduction reduction) {
  visit(array.dtype(), [&]<class T>(T) { std::ranges::fill(array.data<T>(), identity_of<T>(reduction)); });
}

template <class T>
T combined(Reduction reduction, T a, T b) {
  if (reduction == Reduction::max) return std::max(a, b);
  if (reduction == Reduction::min) return std::min(a, b);
  if constexpr (std::is_same_v<T, bool>)
    return a != b;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return static_cast<T>(a + b);
}

void add_part(Array& sum, const Array& part, Reduction reduction) {
  visit(sum.dtype(), [&]<class T>(T) {
    const auto to = sum.data<T>();
    const auto from = part.data<T>();
    for (std::int64_t i = 0; i < std::ssize(from); ++i) to[i] = combined(reduction, to[i], from[i]);
  });
}

}  // namespace

Array shard_of(const Array& whole, const Sharding& sharding, std::int64_t device) {
  const Type local = sharding.local_type(whole.type());
  const std::int64_t width = byte_size(whole.dtype());
  Array shard(local);
  if (part_number(sharding, device) != 0) {
    fill_with_identity(shard, sharding.partial().front().second);
    return shard;
  }
  for_each_run(whole.type(), local, sharding, device, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    std::memcpy(&shard.bytes()[to * width], &whole.bytes()[from * width], count * width);
  });
  return shard;
}

std::vector<Array> shards_of(const Array& whole, const Sharding& sharding) {
  std::vector<Array> shards;
  for (std::int64_t device = 0; device < sharding.mesh().devices(); ++device)
    shards.push_back(shard_of(whole, sharding, device));
  return shards;
}

bool hold_the_same(const Sharding& sharding, std::int64_t a, std::int64_t b) {
  for (int d = 0; d < sharding.rank(); ++d)
    if (sharding.shard(d, a) != sharding.shard(d, b)) return false;
  return part_number(sharding, a) == part_number(sharding, b);
}

Array assemble(std::span<const Array> shards, const Sharding& sharding, Type type) {
  const Type local = sharding.local_type(type);
  const std::int64_t width = byte_size(type.dtype()), devices = sharding.mesh().devices();
  require(std::ssize(shards) == devices, "assemble: ", shards.size(), " shards of ", devices, " devices");
  for (const Array& shard : shards)
    require(shard.type() == local, "assemble: a shard is ", shard.type(), ", not ", local);
  Array whole(type);
  std::vector<std::int64_t> writer(type.elements(), -1);  // by the first element of a run: the device that wrote it
  for (std::int64_t device = 0; device < devices; ++device) {
    if (part_number(sharding, device) != 0) continue;
    Array sum = shards[device];
    for (std::int64_t other = 0; other < devices; ++other)
      if (other != device && hold_parts_of_one_copy(sharding, device, other))
        add_part(sum, shards[other], sharding.partial().front().second);
    for_each_run(type, local, sharding, device, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
      std::byte* const run = &whole.bytes()[to * width];
      const std::byte* const held = &sum.bytes()[from * width];
      if (writer[to] < 0) {
        std::memcpy(run, held, count * width);
        writer[to] = device;
      } else if (std::memcmp(run, held, count * width) != 0) {
        const std::int64_t at = to + (std::mismatch(run, run + count * width, held).first - run) / width;
        fail("assemble: devices ", writer[to], " and ", device, " hold different elements at position ", at, " of ",
             type, " sharded as ", sharding);
      }
    });
  }
  return whole;
}

}  // namespace weft::ir
