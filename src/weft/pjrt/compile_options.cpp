#include <weft/pjrt/compile_options.h>

#include <span>

#include <weft/base/error.h>
#include <weft/pjrt/protobuf.h>

namespace weft::pjrt {

namespace {

constexpr std::string_view name = "the compile options";

// The fields of a DeviceAssignmentProto, and of its computations.
constexpr std::uint64_t replica_count = 1, computation_count = 2, computation_devices = 3, replica_device_ids = 1;

std::vector<std::int64_t> assigned_devices(std::string_view assignment) {
  std::vector<std::int64_t> devices;
  MessageReader(assignment, name).fields([&](std::uint64_t outer, std::uint64_t, std::string_view computation) {
    if (outer != computation_devices) return;
    MessageReader(computation, name).fields([&](std::uint64_t field, std::uint64_t number, std::string_view packed) {
      if (field != replica_device_ids) return;
      if (packed.empty()) devices.push_back(static_cast<std::int64_t>(number));
      for (const std::int64_t id : MessageReader(packed, name).integers()) devices.push_back(id);
    });
  });
  return devices;
}

// An entry of the map of options by name, compiler_options in JAX. Those of XLA are accepted, so that scripts which set them run.
void require_known_option(std::string_view entry) {
  constexpr std::uint64_t key = 1;
  MessageReader(entry, name).fields([&](std::uint64_t field, std::uint64_t, std::string_view option) {
    require(field != key || option.starts_with("xla_"), "No such compile option: '", option,
            "'. Options of XLA begin with xla_, and change nothing in weft");
  });
}

}  // namespace

CompileOptions read_compile_options(std::string_view bytes) {
  constexpr std::uint64_t executable_build_options = 3, num_replicas = 4, num_partitions = 5, assignment = 9;
  constexpr std::uint64_t options_by_name = 7;
  CompileOptions options;
  MessageReader(bytes, name).fields([&](std::uint64_t outer, std::uint64_t, std::string_view inner) {
    if (outer == options_by_name) require_known_option(inner);
    if (outer != executable_build_options) return;
    MessageReader(inner, name).fields([&](std::uint64_t field, std::uint64_t number, std::string_view value) {
      if (field == num_replicas) options.replicas = static_cast<std::int64_t>(number);
      if (field == num_partitions) options.partitions = static_cast<std::int64_t>(number);
      if (field == assignment) options.devices = assigned_devices(value);
    });
  });
  return options;
}

std::string device_assignment(const std::vector<std::int64_t>& devices, std::int64_t replicas) {
  const auto count = static_cast<std::size_t>(replicas), partitions = devices.size() / count;
  std::string result;
  append_field(result, replica_count, count);
  append_field(result, computation_count, partitions);
  for (std::size_t partition = 0; partition < partitions; ++partition) {
    std::string computation;
    append_field(computation, replica_device_ids, std::span(devices).subspan(partition * count, count));
    append_field(result, computation_devices, computation);
  }
  return result;
}

}  // namespace weft::pjrt
