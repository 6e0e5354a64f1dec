// Describes where memory lies and how the host accesses it. There is one for each kind of memory; it lives until the process
// ends. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::runtime {

class MemorySpace {
 public:
  virtual ~MemorySpace() = default;
  MemorySpace(const MemorySpace&) = delete;
  MemorySpace& operator=(const MemorySpace&) = delete;

  // Returns whether the host finds bytes at the same address as the device.
  virtual bool is_host_visible() const = 0;
  // Copies between `host` and `device`, an address of the device, and returns when the copy is done. The caller must have
  // waited until the bytes are there and nothing writes them.
  virtual void copy_to_host(std::byte* host, const std::byte* device, std::uint64_t bytes) const = 0;
  virtual void copy_to_device(std::byte* device, const std::byte* host, std::uint64_t bytes) const = 0;

  // Returns the memory of this process, in which buffers without a device lie.
  static const MemorySpace& host();

 protected:
  MemorySpace() = default;
};

}  // namespace weft::runtime
