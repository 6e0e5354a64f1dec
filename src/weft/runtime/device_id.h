// Identifies one of the devices of this process. Unlike the address of a device, an id is never reused.
#pragma once

#include <cstdint>
#include <string>

#include <weft/runtime/memory_space.h>

namespace weft::runtime {

class DeviceId {
 public:
  DeviceId() = default;  // the host, whose bytes every device accepts
  // Returns a new id for a device of some kind (cpu, simulated) whose memory lies in `space`.
  static DeviceId next(std::string kind, const MemorySpace& space);

  std::string text() const;  // "device 2 (simulated)"
  const MemorySpace& memory_space() const;

  friend bool operator==(DeviceId, DeviceId) = default;

 private:
  explicit DeviceId(std::uint32_t number) : number_(number) {}
  std::uint32_t number_ = 0;  // 0 for the host; devices count from 1
};

}  // namespace weft::runtime
