// The table of the interface's functions, in the order of its header.
#include <algorithm>
#include <string_view>

#include <weft/base/error.h>
#include <weft/pjrt/buffer.h>
#include <weft/pjrt/client.h>
#include <weft/pjrt/error.h>
#include <weft/pjrt/event.h>
#include <weft/pjrt/executable.h>
#include <weft/pjrt/ffi_extension.h>
#include <weft/pjrt/layouts.h>
#include <weft/pjrt/op_sharding.h>
#include <weft/pjrt/profiler_extension.h>
#include <weft/pjrt/serialized.h>

namespace weft::pjrt {

namespace {

// A text that can be the argument of a template.
template <std::size_t size>
struct Name {
  char text[size];
  consteval Name(const char (&name)[size]) { std::ranges::copy(name, text); }
};

// A function of the interface: calls `run` for its arguments and returns what that throws as an error. If there is no such `run`, returns
// an error that names the function.
template <Name name, class Args>
PJRT_Error* entry(Args* args) {
  if constexpr (requires { run(*args); }) {
    try {
      run(*args);
      return nullptr;
    } catch (...) {
      return error_of(std::current_exception());
    }
  } else {
    return make_error(PJRT_Error_Code_UNIMPLEMENTED, concat(name.text, " is not implemented by weft's plugin"));
  }
}

#define WEFT_ENTRY(name) .name = &entry<#name, name##_Args>

// The extensions are known when the library is loaded.
const PJRT_Api api = {
    .struct_size = PJRT_Api_STRUCT_SIZE,
    .extension_start = profiler_extension(shardings_extension(layouts_extension(ffi::extension()))),
    .pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR, PJRT_API_MINOR},
    .PJRT_Error_Destroy = &destroy_error,
    .PJRT_Error_Message = &error_message,
    WEFT_ENTRY(PJRT_Error_GetCode),
    WEFT_ENTRY(PJRT_Plugin_Initialize),
    WEFT_ENTRY(PJRT_Plugin_Attributes),
    WEFT_ENTRY(PJRT_Event_Destroy),
    WEFT_ENTRY(PJRT_Event_IsReady),
    WEFT_ENTRY(PJRT_Event_Error),
    WEFT_ENTRY(PJRT_Event_Await),
    WEFT_ENTRY(PJRT_Event_OnReady),
    WEFT_ENTRY(PJRT_Client_Create),
    WEFT_ENTRY(PJRT_Client_Destroy),
    WEFT_ENTRY(PJRT_Client_PlatformName),
    WEFT_ENTRY(PJRT_Client_ProcessIndex),
    WEFT_ENTRY(PJRT_Client_PlatformVersion),
    WEFT_ENTRY(PJRT_Client_Devices),
    WEFT_ENTRY(PJRT_Client_AddressableDevices),
    WEFT_ENTRY(PJRT_Client_LookupDevice),
    WEFT_ENTRY(PJRT_Client_LookupAddressableDevice),
    WEFT_ENTRY(PJRT_Client_AddressableMemories),
    WEFT_ENTRY(PJRT_Client_Compile),
    WEFT_ENTRY(PJRT_Client_DefaultDeviceAssignment),
    WEFT_ENTRY(PJRT_Client_BufferFromHostBuffer),
    WEFT_ENTRY(PJRT_DeviceDescription_Id),
    WEFT_ENTRY(PJRT_DeviceDescription_ProcessIndex),
    WEFT_ENTRY(PJRT_DeviceDescription_Attributes),
    WEFT_ENTRY(PJRT_DeviceDescription_Kind),
    WEFT_ENTRY(PJRT_DeviceDescription_DebugString),
    WEFT_ENTRY(PJRT_DeviceDescription_ToString),
    WEFT_ENTRY(PJRT_Device_GetDescription),
    WEFT_ENTRY(PJRT_Device_IsAddressable),
    WEFT_ENTRY(PJRT_Device_LocalHardwareId),
    WEFT_ENTRY(PJRT_Device_AddressableMemories),
    WEFT_ENTRY(PJRT_Device_DefaultMemory),
    WEFT_ENTRY(PJRT_Device_MemoryStats),
    WEFT_ENTRY(PJRT_Memory_Id),
    WEFT_ENTRY(PJRT_Memory_Kind),
    WEFT_ENTRY(PJRT_Memory_DebugString),
    WEFT_ENTRY(PJRT_Memory_ToString),
    WEFT_ENTRY(PJRT_Memory_AddressableByDevices),
    WEFT_ENTRY(PJRT_Executable_Destroy),
    WEFT_ENTRY(PJRT_Executable_Name),
    WEFT_ENTRY(PJRT_Executable_NumReplicas),
    WEFT_ENTRY(PJRT_Executable_NumPartitions),
    WEFT_ENTRY(PJRT_Executable_NumOutputs),
    WEFT_ENTRY(PJRT_Executable_SizeOfGeneratedCodeInBytes),
    WEFT_ENTRY(PJRT_Executable_GetCostAnalysis),
    WEFT_ENTRY(PJRT_Executable_OutputMemoryKinds),
    WEFT_ENTRY(PJRT_Executable_OptimizedProgram),
    WEFT_ENTRY(PJRT_Executable_Serialize),
    WEFT_ENTRY(PJRT_LoadedExecutable_Destroy),
    WEFT_ENTRY(PJRT_LoadedExecutable_GetExecutable),
    WEFT_ENTRY(PJRT_LoadedExecutable_AddressableDevices),
    WEFT_ENTRY(PJRT_LoadedExecutable_Delete),
    WEFT_ENTRY(PJRT_LoadedExecutable_IsDeleted),
    WEFT_ENTRY(PJRT_LoadedExecutable_Execute),
    WEFT_ENTRY(PJRT_Executable_DeserializeAndLoad),
    WEFT_ENTRY(PJRT_LoadedExecutable_Fingerprint),
    WEFT_ENTRY(PJRT_Buffer_Destroy),
    WEFT_ENTRY(PJRT_Buffer_ElementType),
    WEFT_ENTRY(PJRT_Buffer_Dimensions),
    WEFT_ENTRY(PJRT_Buffer_UnpaddedDimensions),
    WEFT_ENTRY(PJRT_Buffer_DynamicDimensionIndices),
    WEFT_ENTRY(PJRT_Buffer_GetMemoryLayout),
    WEFT_ENTRY(PJRT_Buffer_OnDeviceSizeInBytes),
    WEFT_ENTRY(PJRT_Buffer_Device),
    WEFT_ENTRY(PJRT_Buffer_Memory),
    WEFT_ENTRY(PJRT_Buffer_Delete),
    WEFT_ENTRY(PJRT_Buffer_IsDeleted),
    WEFT_ENTRY(PJRT_Buffer_CopyToDevice),
    WEFT_ENTRY(PJRT_Buffer_ToHostBuffer),
    WEFT_ENTRY(PJRT_Buffer_IsOnCpu),
    WEFT_ENTRY(PJRT_Buffer_ReadyEvent),
    WEFT_ENTRY(PJRT_Buffer_UnsafePointer),
    WEFT_ENTRY(PJRT_Buffer_IncreaseExternalReferenceCount),
    WEFT_ENTRY(PJRT_Buffer_DecreaseExternalReferenceCount),
    WEFT_ENTRY(PJRT_Buffer_OpaqueDeviceMemoryDataPointer),
    WEFT_ENTRY(PJRT_CopyToDeviceStream_Destroy),
    WEFT_ENTRY(PJRT_CopyToDeviceStream_AddChunk),
    WEFT_ENTRY(PJRT_CopyToDeviceStream_TotalBytes),
    WEFT_ENTRY(PJRT_CopyToDeviceStream_GranuleSize),
    WEFT_ENTRY(PJRT_CopyToDeviceStream_CurrentBytes),
    WEFT_ENTRY(PJRT_TopologyDescription_Create),
    WEFT_ENTRY(PJRT_TopologyDescription_Destroy),
    WEFT_ENTRY(PJRT_TopologyDescription_PlatformName),
    WEFT_ENTRY(PJRT_TopologyDescription_PlatformVersion),
    WEFT_ENTRY(PJRT_TopologyDescription_GetDeviceDescriptions),
    WEFT_ENTRY(PJRT_TopologyDescription_Serialize),
    WEFT_ENTRY(PJRT_TopologyDescription_Attributes),
    WEFT_ENTRY(PJRT_Compile),
    WEFT_ENTRY(PJRT_Executable_OutputElementTypes),
    WEFT_ENTRY(PJRT_Executable_OutputDimensions),
    WEFT_ENTRY(PJRT_Buffer_CopyToMemory),
    WEFT_ENTRY(PJRT_Client_CreateViewOfDeviceBuffer),
    WEFT_ENTRY(PJRT_Executable_Fingerprint),
    WEFT_ENTRY(PJRT_Client_TopologyDescription),
    WEFT_ENTRY(PJRT_Executable_GetCompiledMemoryStats),
    WEFT_ENTRY(PJRT_Memory_Kind_Id),
    WEFT_ENTRY(PJRT_ExecuteContext_Create),
    WEFT_ENTRY(PJRT_ExecuteContext_Destroy),
    WEFT_ENTRY(PJRT_Buffer_CopyRawToHost),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_Destroy),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_TransferData),
    WEFT_ENTRY(PJRT_Client_CreateBuffersForAsyncHostToDevice),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_Device),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_BufferCount),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_BufferSize),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_SetBufferError),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_AddMetadata),
    WEFT_ENTRY(PJRT_Client_DmaMap),
    WEFT_ENTRY(PJRT_Client_DmaUnmap),
    WEFT_ENTRY(PJRT_Client_CreateUninitializedBuffer),
    WEFT_ENTRY(PJRT_Client_UpdateGlobalProcessInfo),
    WEFT_ENTRY(PJRT_TopologyDescription_Deserialize),
    WEFT_ENTRY(PJRT_Client_CreateAliasBuffer),
    WEFT_ENTRY(PJRT_Client_FulfillAliasBuffer),
    WEFT_ENTRY(PJRT_LoadedExecutable_GetDeviceAssignment),
    WEFT_ENTRY(PJRT_Client_CreateErrorBuffer),
    WEFT_ENTRY(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral),
    WEFT_ENTRY(PJRT_Buffer_CopyRawToHostFuture),
    WEFT_ENTRY(PJRT_Device_PoisonExecution),
    WEFT_ENTRY(PJRT_Device_CreateAsyncTrackingEvent),
    WEFT_ENTRY(PJRT_AsyncTrackingEvent_Destroy),
    WEFT_ENTRY(PJRT_Executable_GetCompileOptions),
    WEFT_ENTRY(PJRT_Buffer_DonateWithControlDependency),
    WEFT_ENTRY(PJRT_Event_Create),
    WEFT_ENTRY(PJRT_Event_Set),
    WEFT_ENTRY(PJRT_Device_GetAttributes),
    WEFT_ENTRY(PJRT_Client_Load),
    WEFT_ENTRY(PJRT_LoadedExecutable_AddressableDeviceLogicalIds),
    WEFT_ENTRY(PJRT_Buffer_Bitcast),
    WEFT_ENTRY(PJRT_Error_ForEachPayload),
    WEFT_ENTRY(PJRT_TopologyDescription_Fingerprint),
    WEFT_ENTRY(PJRT_Executable_ParameterMemoryKinds),
    WEFT_ENTRY(PJRT_Device_ClearMemoryStats),
    WEFT_ENTRY(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace),
    WEFT_ENTRY(PJRT_TopologyDescription_GetMemorySpaceKindIds),
};

}  // namespace

}  // namespace weft::pjrt

// Returns the functions of the plugin. They may be called from any thread.
extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() { return &weft::pjrt::api; }
