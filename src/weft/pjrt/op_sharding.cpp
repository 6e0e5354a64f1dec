#include <weft/pjrt/op_sharding.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <weft/pjrt/error.h>
#include <weft/pjrt/executable.h>
#include <weft/pjrt/protobuf.h>

namespace weft::pjrt {

// XLA arranges the devices in a grid with the number of shards in each dimension and, last, the number of devices that hold the same.
std::string op_sharding(const ir::Sharding& sharding) {
  constexpr std::uint64_t type = 1, tile_assignment_dimensions = 3, tile_assignment_devices = 4,
                          replicate_on_last_tile_dim = 6, other = 3;
  if (sharding.is_replicated()) return "";  // the type is 0
  std::vector<std::int64_t> grid;
  for (int d = 0; d < sharding.rank(); ++d) grid.push_back(sharding.shards(d));
  std::vector<std::pair<std::int64_t, std::int64_t>> devices;  // {number of the shard, device}
  for (std::int64_t device = 0; device < sharding.mesh().devices(); ++device) {
    std::int64_t shard = 0;
    for (int d = 0; d < sharding.rank(); ++d) shard = shard * grid[d] + sharding.shard(d, device);
    devices.emplace_back(shard, device);
  }
  std::ranges::sort(devices);
  const auto holders = std::ranges::count(devices, std::int64_t{0}, &std::pair<std::int64_t, std::int64_t>::first);
  if (holders > 1) grid.push_back(holders);
  std::vector<std::int64_t> order;
  for (const auto& [shard, device] : devices) order.push_back(device);
  std::string message;
  append_field(message, type, other);
  append_field(message, tile_assignment_dimensions, grid);
  append_field(message, tile_assignment_devices, order);
  if (holders > 1) append_field(message, replicate_on_last_tile_dim, 1);
  return message;
}

namespace {

// Both functions of the extension take the same arguments, with other names.
struct ShardingsArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  std::size_t count;              // out
  const char* const* shardings;   // out; null: there are none
  const std::size_t* byte_sizes;  // out
};

struct Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*parameters)(ShardingsArgs*);
  PJRT_Error* (*results)(ShardingsArgs*);
};

template <Texts Program::* shardings>
PJRT_Error* get(ShardingsArgs* args) {
  const Texts& texts = (*args->executable->program).*shardings;
  args->count = texts.size();
  args->shardings = args->executable->program->devices.size() > 1 ? texts.pointers() : nullptr;
  args->byte_sizes = texts.sizes();
  return nullptr;
}

}  // namespace

PJRT_Extension_Base* shardings_extension(PJRT_Extension_Base* next) {
  static Extension extension = {.base = {sizeof(Extension), PJRT_Extension_Type_Shardings, next},
                                .parameters = &get<&Program::input_shardings>,
                                .results = &get<&Program::output_shardings>};
  return &extension.base;
}

}  // namespace weft::pjrt
