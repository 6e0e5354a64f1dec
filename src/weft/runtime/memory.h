// Memory of a device, returned to its allocator when the last owner releases it. Its address is meaningful only to the device;
// the host accesses the bytes through copies (memory_space.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace weft::runtime {

struct MemoryStats {
  std::uint64_t bytes_in_use = 0, peak_bytes_in_use = 0;
  std::uint64_t bytes_cached = 0;  // returned blocks, kept for the next request
  std::uint64_t bytes_limit = 0;
  std::uint64_t system_allocations = 0;  // requests that no cached block could serve
};

class Memory {
 public:
  Memory() = default;
  Memory(std::nullptr_t) {}
  // Owns the block at a device address; the deleter returns it to its allocator.
  explicit Memory(std::shared_ptr<std::byte> block) : block_(std::move(block)) {}
  // Refers to the part of `whole` that begins at `address`, and keeps the whole block alive.
  Memory(const Memory& whole, std::byte* address) : block_(whole.block_, address) {}

  explicit operator bool() const { return block_ != nullptr; }
  friend bool operator==(const Memory&, const Memory&) = default;

  // Returns the device address of the bytes. Only code that runs on the device may dereference it.
  std::byte* device_address() const { return block_.get(); }
  // Returns whether no other Memory keeps the block alive.
  bool is_only_owner() const { return block_.use_count() == 1; }
  // Returns whether both keep the same block alive.
  bool shares_block_with(const Memory& other) const {
    return !block_.owner_before(other.block_) && !other.block_.owner_before(block_);
  }

 private:
  std::shared_ptr<std::byte> block_;
};

}  // namespace weft::runtime
