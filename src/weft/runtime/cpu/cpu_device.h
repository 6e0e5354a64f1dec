// The CPUs of this process as a device. Its memory is the host's, and a thunk has run when its stream's run() returns.
#pragma once

#include <weft/runtime/device.h>

namespace weft::runtime {

class CpuDevice : public Device {
 public:
  explicit CpuDevice(DeviceOptions options = {});
};

// Returns the CPU device of this process, made at first use with options from the knobs. Thread-safe.
Device& cpu();

}  // namespace weft::runtime
