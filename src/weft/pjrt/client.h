// The client, its device and the device's memory: the CPUs of this process.
#pragma once

#include <atomic>
#include <pjrt_c_api.h>
#include <string_view>

struct PJRT_DeviceDescription {
  std::string_view kind = "cpu", name = "weft:0";
};

struct PJRT_Device {
  PJRT_DeviceDescription description;
  PJRT_Memory* memory = nullptr;
};

struct PJRT_Client {
  std::atomic<const char*> platform;
  PJRT_Memory memory;
  PJRT_Device device;
  PJRT_Memory* memories[1] = {&memory};
  PJRT_Device* devices[1] = {&device};
};

namespace weft::pjrt {

// The only kind of memory.
inline constexpr std::string_view memory_kind = "device";

// Returns the client of this process, which all clients that are created share.
PJRT_Client& client();

void run(PJRT_Plugin_Initialize_Args& args);
void run(PJRT_Plugin_Attributes_Args& args);

// Options: platform_name, which is weft or cpu. It is weft if it is not given.
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
