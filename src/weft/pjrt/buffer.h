// Arrays of JAX. A complex array is two buffers of the runtime, its real and its imaginary part (docs/design/complex.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <pjrt_c_api.h>
#include <span>
#include <vector>

#include <weft/pjrt/advice.h>
#include <weft/pjrt/client.h>
#include <weft/pjrt/held.h>
#include <weft/runtime/buffer.h>

// Thread-safe. The parts are gone once the array was deleted or donated.
class PJRT_Buffer {
 public:
  using Parts = std::vector<weft::runtime::BufferPtr>;

  // No launch takes the memory of the parts while the array has them.
  PJRT_Buffer(PJRT_Buffer_Type of_type, std::vector<int64_t> of_dims, Parts of_parts, weft::pjrt::Memory& in);

  const PJRT_Buffer_Type type;
  const std::vector<int64_t> dims;
  weft::pjrt::Memory& memory;
  weft::pjrt::ArrayOrigin origin = weft::pjrt::ArrayOrigin::made();

  bool deleted() const;
  void remove();
  // Returns the parts, whose memory no launch takes while the result lives. Throws Error if they are gone.
  weft::pjrt::Held parts() const;
  // Appends the parts to the inputs of a launch. Throws Error if they are gone.
  void append_to(Parts& inputs) const;
  // Does the same, and the array is deleted: the launch may take the memory of the parts, unless something else holds them.
  void donate_to(Parts& inputs);
  // Gives back the parts of an array that was donated to a launch that was refused.
  void restore(Parts parts);

  // Returns the bytes in JAX's order, after waiting for them. Those of a complex array are a copy, which is made once.
  std::span<const std::byte> bytes() const;
  // While others look at the bytes, no launch takes them, even if the array is donated.
  void add_viewer();
  void remove_viewer();

 private:
  void require_parts() const;

  mutable std::mutex mutex_;
  weft::pjrt::Held parts_, viewed_;
  int viewers_ = 0;
  mutable std::vector<std::byte> joined_;  // the parts of a complex array, once somebody has looked at it
};

namespace weft::pjrt {

// Uses the host's memory in place if the caller allows it, and its elements lie as weft's do; otherwise copies them, from any order.
// The event comes when the host's memory is no longer used.
void run(PJRT_Client_BufferFromHostBuffer_Args& args);
// Makes an array of memory that is somebody else's, to which weft never writes.
void run(PJRT_Client_CreateViewOfDeviceBuffer_Args& args);
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
// JAX may look at the bytes where they are.
void run(PJRT_Buffer_IsOnCpu_Args& args);
void run(PJRT_Buffer_ReadyEvent_Args& args);

// Others may look at the bytes of an array while they hold a reference, and as long as the array exists.
void run(PJRT_Buffer_IncreaseExternalReferenceCount_Args& args);
void run(PJRT_Buffer_DecreaseExternalReferenceCount_Args& args);
void run(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args);
void run(PJRT_Buffer_UnsafePointer_Args& args);

}  // namespace weft::pjrt
