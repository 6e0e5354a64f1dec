#include <weft/pjrt/client.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <span>
#include <unordered_map>

#include <weft/base/error.h>
#include <weft/base/version.h>
#include <weft/ir/bytecode/bytecode.h>
#include <weft/runtime/cpu/cpu_device.h>

namespace weft::pjrt {

namespace {

// The names that the platform can have: JAX decides by the name which of its lowering rules it uses, and which features it offers.
constexpr const char* platforms[] = {"weft", "cpu"};

// Returns the name that the option `platform_name` asks for.
const char* platform_of(std::span<const PJRT_NamedValue> options) {
  const char* platform = platforms[0];
  for (const PJRT_NamedValue& option : options) {
    const std::string_view name(option.name, option.name_size);
    require(name == "platform_name", "weft has no option ", name, "; it has platform_name");
    const std::string_view value =
        option.type == PJRT_NamedValue_kString ? std::string_view(option.string_value, option.value_size) : "";
    const auto* const known = std::ranges::find(platforms, value, [](const char* p) { return std::string_view(p); });
    require(known != std::end(platforms), "platform_name must be weft or cpu, got ", value);
    platform = *known;
  }
  return platform;
}

// JAX attaches data of its own to a memory.
class UserData {
 public:
  void* get(const void* key) {
    const std::lock_guard lock(mutex_);
    const auto found = data_.find(key);
    return found == data_.end() ? nullptr : found->second;
  }
  // The client lives as long as the process, and with it what is attached.
  void set(const void* key, void* data) {
    const std::lock_guard lock(mutex_);
    data_[key] = data;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, void*> data_;
};

UserData& user_data() {
  static auto& data = *new UserData;
  return data;
}

constexpr PJRT_Memory_FunctionTable memory_functions = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .extension_start = nullptr,
    .instance_struct_size = PJRT_Memory_STRUCT_SIZE,
    .get_user_data = [](PJRT_Memory*, const void* key) { return user_data().get(key); },
    .set_user_data = [](PJRT_Memory*, const void* key, void* data, void (*)(void*)) { user_data().set(key, data); },
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

PJRT_Client& client() {
  static auto& client = *[] {
    auto* made = new PJRT_Client;
    made->memory.vtable = &memory_functions;
    made->device.memory = &made->memory;
    return made;
  }();
  return client;
}

void run(PJRT_Plugin_Initialize_Args&) {}

// JAX writes programs in the older of these versions and its own.
void run(PJRT_Plugin_Attributes_Args& args) {
  static constexpr std::array<int64_t, 3> newest = {ir::newest_stablehlo[0], ir::newest_stablehlo[1], 0},
                                          oldest = {0, 9, 0};
  static const PJRT_NamedValue attributes[] = {named("stablehlo_current_version", newest),
                                               named("stablehlo_minimum_version", oldest)};
  args.attributes = attributes;
  args.num_attributes = std::size(attributes);
}

void run(PJRT_Client_Create_Args& args) {
  client().platform = platform_of({args.create_options, args.num_options});
  args.client = &client();
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
  args.devices = args.client->devices;
  args.num_devices = std::size(args.client->devices);
}
void run(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->devices;
  args.num_addressable_devices = std::size(args.client->devices);
}
void run(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memories;
  args.num_addressable_memories = std::size(args.client->memories);
}
void run(PJRT_Client_LookupDevice_Args& args) {
  require(args.id == 0, "there is no device ", args.id, "; weft has device 0");
  args.device = &args.client->device;
}
void run(PJRT_Client_LookupAddressableDevice_Args& args) {
  require(args.local_hardware_id == 0, "there is no device ", args.local_hardware_id, "; weft has device 0");
  args.addressable_device = &args.client->device;
}
void run(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  require(args.num_replicas == 1 && args.num_partitions == 1, "weft has one device, not ",
          static_cast<int64_t>(args.num_replicas) * args.num_partitions);
  std::fill_n(args.default_assignment, args.default_assignment_size, 0);
}

void run(PJRT_DeviceDescription_Id_Args& args) { args.id = 0; }
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
void run(PJRT_Device_LocalHardwareId_Args& args) { args.local_hardware_id = 0; }
void run(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = &args.device->memory;
  args.num_memories = 1;
}
void run(PJRT_Device_DefaultMemory_Args& args) { args.memory = args.device->memory; }

// Older callers have a shorter struct, so only its first fields are written.
void run(PJRT_Device_MemoryStats_Args& args) {
  const runtime::DeviceStats stats = runtime::cpu().stats();
  args.bytes_in_use = static_cast<int64_t>(stats.bytes_in_use);
  args.peak_bytes_in_use = static_cast<int64_t>(stats.peak_bytes_in_use);
  args.peak_bytes_in_use_is_set = true;
  args.bytes_limit = static_cast<int64_t>(stats.bytes_limit);
  args.bytes_limit_is_set = true;
}

void run(PJRT_Memory_Id_Args& args) { args.id = 0; }
void run(PJRT_Memory_Kind_Args& args) { set(args.kind, args.kind_size, memory_kind); }
void run(PJRT_Memory_Kind_Id_Args& args) { args.kind_id = 0; }
void run(PJRT_Memory_DebugString_Args& args) { set(args.debug_string, args.debug_string_size, memory_kind); }
void run(PJRT_Memory_ToString_Args& args) { set(args.to_string, args.to_string_size, memory_kind); }
void run(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = client().devices;
  args.num_devices = std::size(client().devices);
}

}  // namespace weft::pjrt
