// Memory that stays with a program: its outputs lie at the same few addresses in every launch, and no launch needs the
// allocator. In return, no other program can use the blocks meanwhile. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <weft/runtime/memory.h>
#include <weft/runtime/node_pool.h>

namespace weft::runtime {

class KeptBlocks : public std::enable_shared_from_this<KeptBlocks> {
 public:
  explicit KeptBlocks(std::size_t outputs) : free_(outputs) {}

  // Returns a block for an output; `allocate` makes one if none is free. The block comes back when its last owner ends.
  template <class Allocate>
  Memory take(std::size_t output, Allocate&& allocate) {
    Memory block = take_free(output);
    if (!block) block = allocate();
    std::byte* const address = block.device_address();
    auto give_back = [self = shared_from_this(), output, block = std::move(block)](std::byte*) mutable {
      const std::lock_guard lock(self->mutex_);
      self->free_[output].push_back(std::move(block));
    };
    return Memory(std::shared_ptr<std::byte>(address, std::move(give_back), PoolAllocator<std::byte>()));
  }

 private:
  Memory take_free(std::size_t output) {
    const std::lock_guard lock(mutex_);
    std::vector<Memory>& free = free_[output];
    if (free.empty()) return nullptr;
    Memory block = std::move(free.back());
    free.pop_back();
    return block;
  }

  std::mutex mutex_;
  std::vector<std::vector<Memory>> free_;  // indexed by output; the block that came back last is at the end
};

}  // namespace weft::runtime
