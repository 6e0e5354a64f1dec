#include <weft/runtime/memory_space.h>

#include <cstring>

namespace weft::runtime {

namespace {

class HostSpace final : public MemorySpace {
 public:
  bool is_host_visible() const override { return true; }
  void copy_to_host(std::byte* host, const std::byte* device, std::uint64_t bytes) const override {
    if (bytes != 0) std::memcpy(host, device, bytes);
  }
  void copy_to_device(std::byte* device, const std::byte* host, std::uint64_t bytes) const override {
    if (bytes != 0) std::memcpy(device, host, bytes);
  }
};

}  // namespace

const MemorySpace& MemorySpace::host() {
  static const auto* const space = new HostSpace;  // never destroyed: buffers may be read until the process ends
  return *space;
}

}  // namespace weft::runtime
