// Memory of a device, given back to its allocator when the last owner lets go. Opaque: its address is for the device alone, and the
// host reaches the bytes through copies (memory_space.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace weft::runtime {

struct MemoryStats {
  std::uint64_t bytes_in_use = 0, peak_bytes_in_use = 0;
  std::uint64_t bytes_cached = 0;  // given back, kept for the next request
  std::uint64_t bytes_limit = 0;
  std::uint64_t system_allocations = 0;  // requests that no kept block could serve
};

class Memory {
 public:
  Memory() = default;
  Memory(std::nullptr_t) {}
  // The block at an address of the device, whose deleter gives it back.
  explicit Memory(std::shared_ptr<std::byte> block) : block_(std::move(block)) {}
  // The part of `whole` that begins at `address`; it keeps the whole block.
  Memory(const Memory& whole, std::byte* address) : block_(whole.block_, address) {}

  explicit operator bool() const { return block_ != nullptr; }
  friend bool operator==(const Memory&, const Memory&) = default;

  // Where the device finds the bytes. Only code that runs on the device follows it.
  std::byte* device_address() const { return block_.get(); }
  // Whether no other Memory keeps the block.
  bool is_only_owner() const { return block_.use_count() == 1; }
  // Whether who keeps one keeps the other too.
  bool shares_block_with(const Memory& other) const {
    return !block_.owner_before(other.block_) && !other.block_.owner_before(block_);
  }

 private:
  std::shared_ptr<std::byte> block_;
};

}  // namespace weft::runtime
