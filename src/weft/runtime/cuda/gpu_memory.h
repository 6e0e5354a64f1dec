// The memory of a GPU: where its allocator gets blocks, and how the host reaches them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <weft/runtime/allocator.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/memory_space.h>

namespace weft::runtime::cuda {

// Returns an allocator of the memory of a GPU, with blocks that are aligned to 256 bytes. Their bound is `limit_bytes` or, if that is 0,
// the memory that is free now less 1 GiB for code, libraries and other processes.
std::shared_ptr<Allocator> gpu_allocator(int ordinal, std::uint64_t limit_bytes);

// Returns the space of addresses of a GPU.
const MemorySpace& space_of(int ordinal);

// Memory of the host from which and to which a GPU copies while the host goes on. Used by one thread at a time.
class PinnedMemory {
 public:
  explicit PinnedMemory(int ordinal) : ordinal_(ordinal) {}
  ~PinnedMemory() { release(); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  // Returns at least `bytes` bytes, aligned to a page, at another address and with any content if there were fewer. No copy may be under
  // way. Throws Error if there is no memory.
  std::byte* at_least(std::uint64_t bytes);
  std::uint64_t bytes() const { return bytes_; }

 private:
  void release();

  int ordinal_;
  void* block_ = nullptr;
  std::uint64_t bytes_ = 0;
};

inline std::byte* as_pointer(CUdeviceptr address) { return reinterpret_cast<std::byte*>(address); }
inline CUdeviceptr as_address(const std::byte* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace weft::runtime::cuda
