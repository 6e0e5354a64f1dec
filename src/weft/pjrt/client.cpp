#include <weft/pjrt/client.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/version.h>
#include <weft/ir/bytecode/bytecode.h>
#include <weft/pjrt/forked.h>
#include <weft/pjrt/record_process.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::pjrt {

namespace {

// The names that the platform can have: JAX decides by the name which of its lowering rules it uses, and which features it offers.
constexpr const char* platforms[] = {"weft", "cpu"};

constexpr std::int64_t most_devices = 4096;

struct ClientOptions {
  const char* platform = platforms[0];
  std::int64_t devices = knobs::devices();
  std::string record = {};       // a folder for a profile of the whole process
  std::string tells = "doctor";  // of it, when the process ends
};

ClientOptions read_options(std::span<const PJRT_NamedValue> options) {
  ClientOptions result;
  for (const PJRT_NamedValue& option : options) {
    const std::string_view name(option.name, option.name_size);
    if (name == "platform_name") {
      const std::string_view value =
          option.type == PJRT_NamedValue_kString ? std::string_view(option.string_value, option.value_size) : "";
      const auto* const known = std::ranges::find(platforms, value, [](const char* p) { return std::string_view(p); });
      require(known != std::end(platforms), "platform_name must be weft or cpu, got ", value);
      result.platform = *known;
    } else if (name == "devices") {
      require(option.type == PJRT_NamedValue_kInt64, "devices must be a number");
      result.devices = option.int64_value;
    } else if (name == "record") {
      require(option.type == PJRT_NamedValue_kString, "record must be a folder");
      result.record = std::string(option.string_value, option.value_size);
    } else if (name == "tells") {
      require(option.type == PJRT_NamedValue_kString, "tells must be a text");
      result.tells = std::string(option.string_value, option.value_size);
    } else {
      fail("weft has no option ", name, "; it has platform_name, devices, record and tells");
    }
  }
  require(result.devices >= 1 && result.devices <= most_devices, "weft has 1 to ", most_devices, " devices, not ",
          result.devices, " (the option devices, or WEFT_DEVICES)");
  return result;
}

// JAX attaches data of its own to a memory.
class UserData {
 public:
  void* get(const PJRT_Memory* memory, const void* key) {
    const std::lock_guard lock(mutex_);
    const auto found = data_.find({memory, key});
    return found == data_.end() ? nullptr : found->second;
  }
  // The client lives as long as the process, and with it what is attached.
  void set(const PJRT_Memory* memory, const void* key, void* data) {
    const std::lock_guard lock(mutex_);
    data_[{memory, key}] = data;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const PJRT_Memory*, const void*>, void*> data_;
};

UserData& user_data() {
  static auto& data = *new UserData;
  return data;
}

constexpr PJRT_Memory_FunctionTable memory_functions = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .extension_start = nullptr,
    .instance_struct_size = PJRT_Memory_STRUCT_SIZE,
    .get_user_data = [](PJRT_Memory* memory, const void* key) { return user_data().get(memory, key); },
    .set_user_data = [](PJRT_Memory* memory, const void* key, void* data,
                        void (*)(void*)) { user_data().set(memory, key, data); },
};

void set(const char*& text, size_t& size, std::string_view value) {
  text = value.data();
  size = value.size();
}

template <size_t count>
PJRT_NamedValue named(std::string_view name, const std::array<int64_t, count>& numbers) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name.data();
  value.name_size = name.size();
  value.type = PJRT_NamedValue_kInt64List;
  value.int64_array_value = numbers.data();
  value.value_size = count;
  return value;
}

}  // namespace

namespace {

std::atomic<PJRT_Client*> the_client = nullptr;

// Makes the client at the first call; it lives as long as the process.
PJRT_Client& make_client(std::int64_t devices) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!the_client) the_client = new PJRT_Client(devices);
  return *the_client;
}

std::int64_t device_count() { return std::ssize(client().devices); }

}  // namespace

PJRT_Client& client() {
  PJRT_Client* const made = the_client;
  require(made != nullptr, "no client was created");
  return *made;
}

PJRT_Device& device(std::int64_t id) {
  require(id >= 0 && id < device_count(), "there is no device ", id, "; weft has ", device_count(),
          " (the option devices, or WEFT_DEVICES)");
  return *client().devices[static_cast<std::size_t>(id)];
}

Memory& memory_or_default(PJRT_Memory* memory, PJRT_Device* otherwise) {
  if (memory) return *static_cast<Memory*>(memory);
  return (otherwise ? *otherwise : device(0)).own_memories[0];
}

void run(PJRT_Plugin_Initialize_Args&) {}

// JAX writes programs in the older of these versions and its own.
void run(PJRT_Plugin_Attributes_Args& args) {
  static constexpr std::array<int64_t, 3> newest = {ir::newest_stablehlo.major, ir::newest_stablehlo.minor, 0},
                                          oldest = {0, 9, 0};
  static const PJRT_NamedValue attributes[] = {named("stablehlo_current_version", newest),
                                               named("stablehlo_minimum_version", oldest)};
  args.attributes = attributes;
  args.num_attributes = std::size(attributes);
}

void run(PJRT_Client_Create_Args& args) {
  watch_forks();
  const ClientOptions options = read_options({args.create_options, args.num_options});
  PJRT_Client& made = make_client(options.devices);
  require(std::ssize(made.devices) == options.devices, "this process has a client with ", made.devices.size(),
          " devices already, and another one cannot have ", options.devices);
  made.platform = options.platform;
  if (!options.record.empty()) record_process(options.record, options.tells);
  args.client = &made;
}
void run(PJRT_Client_Destroy_Args&) {}
void run(PJRT_Client_PlatformName_Args& args) {
  set(args.platform_name, args.platform_name_size, args.client->platform.load());
}
void run(PJRT_Client_PlatformVersion_Args& args) {
  static const std::string version = concat("weft ", weft::version());
  set(args.platform_version, args.platform_version_size, version);
}
void run(PJRT_Client_ProcessIndex_Args& args) { args.process_index = 0; }

void run(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->devices.data();
  args.num_devices = args.client->devices.size();
}
void run(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->devices.data();
  args.num_addressable_devices = args.client->devices.size();
}
void run(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memories.data();
  args.num_addressable_memories = args.client->memories.size();
}
void run(PJRT_Client_LookupDevice_Args& args) { args.device = &device(args.id); }
void run(PJRT_Client_LookupAddressableDevice_Args& args) { args.addressable_device = &device(args.local_hardware_id); }
void run(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const auto wanted = static_cast<int64_t>(args.num_replicas) * args.num_partitions;
  require(wanted <= device_count(), "weft has ", device_count(), " devices, not ", wanted,
          " (the option devices, or WEFT_DEVICES)");
  std::iota(args.default_assignment, args.default_assignment + args.default_assignment_size, 0);
}

void run(PJRT_DeviceDescription_Id_Args& args) { args.id = args.device_description->id; }
void run(PJRT_DeviceDescription_ProcessIndex_Args& args) { args.process_index = 0; }
void run(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
}
void run(PJRT_DeviceDescription_Kind_Args& args) {
  set(args.device_kind, args.device_kind_size, args.device_description->kind);
}
void run(PJRT_DeviceDescription_DebugString_Args& args) {
  set(args.debug_string, args.debug_string_size, args.device_description->name);
}
void run(PJRT_DeviceDescription_ToString_Args& args) {
  set(args.to_string, args.to_string_size, args.device_description->name);
}

void run(PJRT_Device_GetDescription_Args& args) { args.device_description = &args.device->description; }
void run(PJRT_Device_GetAttributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_Device_Attributes*) {};
}
void run(PJRT_Device_IsAddressable_Args& args) { args.is_addressable = true; }
void run(PJRT_Device_LocalHardwareId_Args& args) { args.local_hardware_id = args.device->description.id; }
void run(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
}
void run(PJRT_Device_DefaultMemory_Args& args) { args.memory = args.device->memories[0]; }

// Older callers have a shorter struct, so only its first fields are written.
void run(PJRT_Device_MemoryStats_Args& args) {
  const runtime::DeviceStats stats = runtime::cpu().stats();
  args.bytes_in_use = static_cast<int64_t>(stats.bytes_in_use);
  args.peak_bytes_in_use = static_cast<int64_t>(stats.peak_bytes_in_use);
  args.peak_bytes_in_use_is_set = true;
  args.bytes_limit = static_cast<int64_t>(stats.bytes_limit);
  args.bytes_limit_is_set = true;
}

namespace {

std::string_view kind_of(const PJRT_Memory* memory) { return memory_kinds[static_cast<const Memory*>(memory)->kind]; }

}  // namespace

void run(PJRT_Memory_Id_Args& args) {
  const Memory& memory = *static_cast<const Memory*>(args.memory);
  args.id = memory.device->description.id * static_cast<int>(memory_kinds.size()) + memory.kind;
}
void run(PJRT_Memory_Kind_Args& args) { set(args.kind, args.kind_size, kind_of(args.memory)); }
void run(PJRT_Memory_Kind_Id_Args& args) { args.kind_id = static_cast<const Memory*>(args.memory)->kind; }
void run(PJRT_Memory_DebugString_Args& args) { set(args.debug_string, args.debug_string_size, kind_of(args.memory)); }
void run(PJRT_Memory_ToString_Args& args) { set(args.to_string, args.to_string_size, kind_of(args.memory)); }
void run(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = &static_cast<Memory*>(args.memory)->device->self;
  args.num_devices = 1;
}

}  // namespace weft::pjrt

PJRT_Client::PJRT_Client(std::int64_t device_count) : platform(weft::pjrt::platforms[0]) {
  for (int id = 0; id < device_count; ++id) {
    auto* const made = new PJRT_Device{.description = {.id = id, .name = weft::concat("weft:", id)}};
    for (std::size_t kind = 0; kind < weft::pjrt::memory_kinds.size(); ++kind) {
      weft::pjrt::Memory& memory = made->own_memories[kind];
      memory.vtable = &weft::pjrt::memory_functions;
      memory.device = made;
      memory.kind = static_cast<int>(kind);
      made->memories[kind] = &memory;
      memories.push_back(&memory);
    }
    devices.push_back(made);
  }
}
