// Where memory lies, and how the host reaches it. One for each kind of memory; it lives until the process ends. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::runtime {

class MemorySpace {
 public:
  virtual ~MemorySpace() = default;
  MemorySpace(const MemorySpace&) = delete;
  MemorySpace& operator=(const MemorySpace&) = delete;

  // Whether the host finds bytes at the address at which the device does.
  virtual bool is_host_visible() const = 0;
  // Between `host` and `device`, an address of the device. The bytes are there and nothing writes them meanwhile: who copies has
  // waited for that. Returns when the copy is done.
  virtual void copy_to_host(std::byte* host, const std::byte* device, std::uint64_t bytes) const = 0;
  virtual void copy_to_device(std::byte* device, const std::byte* host, std::uint64_t bytes) const = 0;

  // The memory of this process, which buffers without a device have.
  static const MemorySpace& host();

 protected:
  MemorySpace() = default;
};

}  // namespace weft::runtime
