// The memory of a device. Freed blocks are cached and reused, so that a training step that repeats makes no system
// allocations. Cached blocks never lift the footprint above the peak of the memory in use at once, unless releasing blocks
// turned out to require new ones. Deterministic: the same requests get the same answers. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <weft/runtime/memory.h>
#include <weft/runtime/memory_source.h>

namespace weft::runtime {

class Allocator : public std::enable_shared_from_this<Allocator> {
 public:
  static std::shared_ptr<Allocator> make(std::unique_ptr<MemorySource> source, std::uint64_t limit_bytes);
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // Returns at least `bytes` bytes, aligned as the source aligns its blocks, with unspecified content or zeros. Throws Error with the
  // sizes if the limit or the source refuses. The memory may outlive every other owner of the allocator.
  Memory allocate(std::uint64_t bytes, bool zeroed = false);

  void release_cached();  // returns cached blocks to the system
  MemoryStats stats() const;

 private:
  struct Cached {
    std::byte* address;
    std::uint64_t since;  // when it was freed, as a count of frees
  };

  Allocator(std::unique_ptr<MemorySource> source, std::uint64_t limit_bytes)
      : source_(std::move(source)), limit_(limit_bytes) {}
  std::byte* take_cached(std::uint64_t& size);
  std::byte* take_new(std::uint64_t size);
  void give_back(std::byte* address, std::uint64_t size);
  void release_oldest();

  const std::unique_ptr<MemorySource> source_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::vector<Cached>> cached_;  // by size; the oldest first
  std::set<std::uint64_t> released_sizes_;  // sizes of blocks that were released to the system to make room
  std::uint64_t limit_, slack_ = 0, gave_back_ = 0;
  std::uint64_t in_use_ = 0, peak_ = 0, cached_bytes_ = 0, system_allocations_ = 0;
};

}  // namespace weft::runtime
