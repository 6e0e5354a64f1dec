// Which of the devices of this process. Unlike its address it is never another one's later.
#pragma once

#include <cstdint>
#include <string>

namespace weft::runtime {

class DeviceId {
 public:
  DeviceId() = default;  // none: the host, whose bytes every device takes
  static DeviceId next(bool simulated);

  std::string text() const;  // device 2 (simulated)

  friend bool operator==(DeviceId, DeviceId) = default;

 private:
  explicit DeviceId(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;  // its number from 1, and whether it is simulated
};

}  // namespace weft::runtime
