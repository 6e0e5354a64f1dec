// An NVIDIA GPU as a device. Its streams work while the host goes on; the host sees its memory through copies only.
#pragma once

#include <weft/runtime/device.h>

namespace weft::runtime {

class CudaDevice : public Device {
 public:
  // `ordinal` is the driver's number of the GPU. Throws Error with what is missing if it cannot be used.
  explicit CudaDevice(int ordinal = 0, DeviceOptions options = {});
};

}  // namespace weft::runtime
