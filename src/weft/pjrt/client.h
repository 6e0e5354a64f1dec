// The client, its devices and their memories. Devices are logical: all are the CPUs of this process, and each array and each run of a program
// is on one of them or, if the program is for several, on some.
#pragma once

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

struct Memory : PJRT_Memory {
  PJRT_Device* device = nullptr;
};

}  // namespace weft::pjrt

struct PJRT_Device {
  PJRT_DeviceDescription description;
  weft::pjrt::Memory own_memory;
  PJRT_Memory* memory = &own_memory;  // JAX reads it as an array of one
  PJRT_Device* self = this;           // the same
};

struct PJRT_Client {
  explicit PJRT_Client(std::int64_t device_count);

  std::atomic<const char*> platform;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Memory*> memories;
};

namespace weft::pjrt {

// The only kind of memory.
inline constexpr std::string_view memory_kind = "device";

// Returns the client of this process, which all clients that are created share. It must have been created.
PJRT_Client& client();

// Returns the device with this id. Throws Error that says which there are.
PJRT_Device& device(std::int64_t id);
// Returns the device that has the memory; if there is none, `otherwise`; without that, the first one.
PJRT_Device& device_of(PJRT_Memory* memory, PJRT_Device* otherwise);

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
