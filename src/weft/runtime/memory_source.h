// Where an allocator gets its blocks: the system's memory, or that of a GPU. Used under the lock of the allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::runtime {

class MemorySource {
 public:
  MemorySource() = default;
  virtual ~MemorySource() = default;
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;

  // Returns the size of the block for a request. Requests of nearly equal sizes get equal blocks, which are interchangeable.
  virtual std::uint64_t rounded(std::uint64_t bytes) const = 0;
  // Returns a block of such a size, aligned for every kernel, or null if there is no memory.
  virtual std::byte* allocate(std::uint64_t size) = 0;
  virtual void free(std::byte* block, std::uint64_t size) = 0;
  virtual void zero(std::byte* block, std::uint64_t size) = 0;
  // Tells that a block is kept for a later request, or serves one again: nobody may access it in between.
  virtual void set_aside(std::byte* /*block*/, std::uint64_t /*size*/) {}
  virtual void use_again(std::byte* /*block*/, std::uint64_t /*size*/) {}
  // Returns the end of a message that says that there is no memory, because allocate() refused it or because of the allocator's bound: what
  // may be the reason, or nothing.
  virtual std::string hint(bool has_refused) const = 0;
};

}  // namespace weft::runtime
