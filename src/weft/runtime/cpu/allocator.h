// The memory of a CPU device. Blocks that are given back are kept and handed out again, so that a training step that repeats
// asks the system for nothing; what is kept never lifts the footprint above the peak of what was in use at once, unless giving
// blocks back turned out to cost new ones. Deterministic: the same requests get the same answers. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include <weft/base/process.h>
#include <weft/runtime/memory.h>

namespace weft::runtime {

class Allocator : public std::enable_shared_from_this<Allocator> {
 public:
  static std::shared_ptr<Allocator> make(std::uint64_t limit_bytes = available_memory());
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // At least `bytes` bytes, aligned to 64, or to 2 MiB from that size on. With unspecified content, or zero. Throws Error with
  // the sizes when the limit or the system refuses. Memory may outlive every other owner of the allocator.
  Memory allocate(std::uint64_t bytes, bool zeroed = false);

  void release_cached();  // to the system
  MemoryStats stats() const;

 private:
  struct Cached {
    std::byte* address;
    std::uint64_t since;  // when it was given back, in give-backs
  };

  explicit Allocator(std::uint64_t limit_bytes) : limit_(limit_bytes) {}
  std::byte* take_cached(std::uint64_t& size);
  std::byte* take_new(std::uint64_t size);
  void give_back(std::byte* address, std::uint64_t size);
  void release_oldest();

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::vector<Cached>> cached_;  // by size; oldest first
  std::set<std::uint64_t> released_sizes_;               // given back to the system to make room
  std::uint64_t limit_, slack_ = 0, gave_back_ = 0;
  std::uint64_t in_use_ = 0, peak_ = 0, cached_bytes_ = 0, system_allocations_ = 0;
};

}  // namespace weft::runtime
