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

// XLA arranges the devices in a grid with the number of shards in each dimension, then the number of devices that hold summands, and of those
// that hold the same.
std::string op_sharding(const ir::Sharding& sharding) {
  constexpr std::uint64_t type = 1, tile_assignment_dimensions = 3, tile_assignment_devices = 4,
                          replicate_on_last_tile_dim = 6, last_tile_dims = 8;
  constexpr std::int64_t replicated = 0, other = 3, unreduced = 6;
  if (sharding.is_replicated()) return "";  // the type is 0
  const ir::Mesh& mesh = sharding.mesh();
  std::vector<int> summed, same;
  for (const auto& [axis, reduction] : sharding.partial()) summed.push_back(axis);
  for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis) {
    const auto has_axis = [axis](const ir::Sharding::Axes& axes) { return std::ranges::count(axes, axis) != 0; };
    if (!has_axis(summed) && std::ranges::none_of(sharding.dims(), has_axis)) same.push_back(axis);
  }
  std::vector<std::int64_t> grid, kinds;
  for (int d = 0; d < sharding.rank(); ++d) grid.push_back(sharding.shards(d));
  for (const auto& [axes, kind] : {std::pair(&summed, unreduced), std::pair(&same, replicated)}) {
    const std::int64_t count = ir::devices_along(mesh, *axes);
    if (count == 1) continue;
    grid.push_back(count);
    kinds.push_back(kind);
  }
  std::vector<std::pair<std::vector<std::int64_t>, std::int64_t>> places;  // of each device in the grid
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    std::vector<std::int64_t> place;
    for (int d = 0; d < sharding.rank(); ++d) place.push_back(sharding.shard(d, device));
    for (const auto* const axes : {&summed, &same}) place.push_back(ir::position_along(mesh, *axes, device));
    places.emplace_back(std::move(place), device);
  }
  std::ranges::sort(places);
  std::vector<std::int64_t> order;
  for (const auto& [place, device] : places) order.push_back(device);
  std::string message;
  if (grid.back() == mesh.devices() && kinds == std::vector{unreduced}) {
    append_field(message, type, static_cast<std::uint64_t>(unreduced));
    return message;
  }
  append_field(message, type, static_cast<std::uint64_t>(other));
  append_field(message, tile_assignment_dimensions, grid);
  append_field(message, tile_assignment_devices, order);
  if (kinds == std::vector{replicated}) {
    append_field(message, replicate_on_last_tile_dim, 1);
  } else if (!kinds.empty()) {
    append_field(message, last_tile_dims, kinds);
  }
  return message;
}

std::string joined_shardings(const Texts& results) {
  constexpr std::uint64_t type = 1, tuple_shardings = 5, tuple = 2;
  if (results.size() == 1) return std::string(results[0]);
  std::string message;
  append_field(message, type, tuple);
  for (std::size_t i = 0; i < results.size(); ++i) append_field(message, tuple_shardings, results[i]);
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
