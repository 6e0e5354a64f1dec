#include <weft/runtime/device_id.h>

#include <atomic>

#include <weft/base/error.h>

namespace weft::runtime {

DeviceId DeviceId::next(bool simulated) {
  static constinit std::atomic<std::uint32_t> made = 0;
  return DeviceId((made.fetch_add(1, std::memory_order_relaxed) + 1) << 1 | std::uint32_t{simulated});
}

std::string DeviceId::text() const {
  if (bits_ == 0) return "the host";
  return concat("device ", bits_ >> 1, (bits_ & 1) != 0 ? " (simulated)" : " (CPU)");
}

}  // namespace weft::runtime
