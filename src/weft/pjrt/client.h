// The client, its devices and their memories. Devices are logical: all are the CPUs of this process, and each array and each run of a program
// is on one of them or, if the program is for several, on some.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <pjrt_c_api.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct PJRT_DeviceDescription {
  int id;
  std::string name;  // weft:0
  std::string_view kind = "cpu";
};

namespace weft::pjrt {

// The kinds of memory of each device, by XLA's names; the first one is the default. All of them are this machine's memory, so that programs
// which keep arrays on the host run as they are.
inline constexpr std::array<std::string_view, 3> memory_kinds = {"device", "pinned_host", "unpinned_host"};

struct Memory : PJRT_Memory {
  PJRT_Device* device = nullptr;
  int kind = 0;  // index in memory_kinds
};

}  // namespace weft::pjrt

struct PJRT_Device {
  PJRT_DeviceDescription description;
  std::array<weft::pjrt::Memory, weft::pjrt::memory_kinds.size()> own_memories;
  std::array<PJRT_Memory*, weft::pjrt::memory_kinds.size()> memories;
  PJRT_Device* self = this;  // JAX reads it as an array of one
};

struct PJRT_Client {
  explicit PJRT_Client(std::int64_t device_count);

  std::atomic<const char*> platform;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Memory*> memories;
};

namespace weft::pjrt {

// Returns the client of this process, which all clients that are created share. It must have been created.
PJRT_Client& client();

// Returns the device with this id. Throws Error that says which there are.
PJRT_Device& device(std::int64_t id);
// Returns the memory; if there is none, the default one of `otherwise`; without that, that of the first device.
Memory& memory_or_default(PJRT_Memory* memory, PJRT_Device* otherwise);

void run(PJRT_Plugin_Initialize_Args& args);
void run(PJRT_Plugin_Attributes_Args& args);

// Options: platform_name, which is weft or cpu, and devices, the number of devices. They are weft and that of the knob WEFT_DEVICES if they
// are not given. Throws Error if another client of this process was created with another number.
void run(PJRT_Client_Create_Args& args);
void run(PJRT_Client_Destroy_Args& args);
void run(PJRT_Client_PlatformName_Args& args);
void run(PJRT_Client_PlatformVersion_Args& args);
void run(PJRT_Client_ProcessIndex_Args& args);
void run(PJRT_Client_Devices_Args& args);
void run(PJRT_Client_AddressableDevices_Args& args);
void run(PJRT_Client_AddressableMemories_Args& args);
void run(PJRT_Client_LookupDevice_Args& args);
void run(PJRT_Client_LookupAddressableDevice_Args& args);
void run(PJRT_Client_DefaultDeviceAssignment_Args& args);

void run(PJRT_DeviceDescription_Id_Args& args);
void run(PJRT_DeviceDescription_ProcessIndex_Args& args);
void run(PJRT_DeviceDescription_Attributes_Args& args);
void run(PJRT_DeviceDescription_Kind_Args& args);
void run(PJRT_DeviceDescription_DebugString_Args& args);
void run(PJRT_DeviceDescription_ToString_Args& args);

void run(PJRT_Device_GetDescription_Args& args);
void run(PJRT_Device_GetAttributes_Args& args);
void run(PJRT_Device_IsAddressable_Args& args);
void run(PJRT_Device_LocalHardwareId_Args& args);
void run(PJRT_Device_AddressableMemories_Args& args);
void run(PJRT_Device_DefaultMemory_Args& args);
void run(PJRT_Device_MemoryStats_Args& args);

void run(PJRT_Memory_Id_Args& args);
void run(PJRT_Memory_Kind_Args& args);
void run(PJRT_Memory_Kind_Id_Args& args);
void run(PJRT_Memory_DebugString_Args& args);
void run(PJRT_Memory_ToString_Args& args);
void run(PJRT_Memory_AddressableByDevices_Args& args);

}  // namespace weft::pjrt
