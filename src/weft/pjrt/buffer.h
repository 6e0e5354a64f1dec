// Arrays of JAX. A complex array is two buffers of the runtime, its real and its imaginary part (docs/design/complex.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <pjrt_c_api.h>
#include <vector>

#include <weft/runtime/buffer.h>

struct PJRT_Buffer {
  PJRT_Buffer_Type type;
  std::vector<int64_t> dims;
  std::vector<weft::runtime::BufferPtr> parts;
  std::atomic<bool> deleted = false;

  ~PJRT_Buffer();
};

namespace weft::pjrt {

// Makes an array of parts that nothing may donate while it lives. The caller destroys it.
PJRT_Buffer* make_buffer(PJRT_Buffer_Type type, std::vector<int64_t> dims, std::vector<runtime::BufferPtr> parts);

// Throws Error if the array was deleted.
void require_alive(const PJRT_Buffer& buffer);

// Copies the array, in any order of its elements. The host's memory is not used afterwards.
void run(PJRT_Client_BufferFromHostBuffer_Args& args);
void run(PJRT_Buffer_ToHostBuffer_Args& args);
void run(PJRT_Buffer_CopyToDevice_Args& args);
void run(PJRT_Buffer_CopyToMemory_Args& args);

void run(PJRT_Buffer_Destroy_Args& args);
void run(PJRT_Buffer_Delete_Args& args);
void run(PJRT_Buffer_IsDeleted_Args& args);
void run(PJRT_Buffer_ElementType_Args& args);
void run(PJRT_Buffer_Dimensions_Args& args);
void run(PJRT_Buffer_UnpaddedDimensions_Args& args);
void run(PJRT_Buffer_DynamicDimensionIndices_Args& args);
void run(PJRT_Buffer_OnDeviceSizeInBytes_Args& args);
void run(PJRT_Buffer_Device_Args& args);
void run(PJRT_Buffer_Memory_Args& args);
// JAX must copy an array to look at it, because a complex one has no bytes in JAX's order.
void run(PJRT_Buffer_IsOnCpu_Args& args);
void run(PJRT_Buffer_ReadyEvent_Args& args);

// Others may look at the bytes of an array of real numbers while they hold a reference, and as long as the array exists. Throw Error if it
// is complex.
void run(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args);
void run(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args);
void run(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args);
void run(PJRT_Buffer_UnsafePointer_Args& args);

}  // namespace weft::pjrt
