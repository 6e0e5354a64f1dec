// Counts the heap allocations and deallocations of the calling thread. Replaces operator new, so only one file of a test
// program may include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_COUNTS_HEAP 0  // the sanitizers' allocator must not be replaced
#else
#define WEFT_COUNTS_HEAP 1
#endif

namespace weft::test {
struct HeapUse {
  std::uint64_t allocations = 0, releases = 0;
};
inline constinit thread_local HeapUse heap_use;  // of this thread

inline void give_back(void* at) {
  heap_use.releases += at != nullptr;
  std::free(at);
}
}  // namespace weft::test

#if WEFT_COUNTS_HEAP
// All other forms of new and delete call these.
void* operator new(std::size_t bytes) {
  ++weft::test::heap_use.allocations;
  if (void* at = std::malloc(bytes ? bytes : 1)) return at;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  ++weft::test::heap_use.allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* at = std::aligned_alloc(align, (bytes + align - 1) / align * align)) return at;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept { weft::test::give_back(at); }
void operator delete(void* at, std::size_t) noexcept { weft::test::give_back(at); }
void operator delete(void* at, std::align_val_t) noexcept { weft::test::give_back(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { weft::test::give_back(at); }
#endif
