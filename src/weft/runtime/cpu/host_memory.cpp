#include <weft/runtime/cpu/host_memory.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

#include <weft/base/knobs.h>
#include <weft/runtime/memory_source.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) static_cast<void>(address)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) static_cast<void>(address)
#endif

namespace weft::runtime {

namespace {

constexpr std::uint64_t alignment = 64, page = 4096, mapped_from = 1 << 20, huge_page = 2 << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::byte* map(std::uint64_t size) {
  const std::uint64_t extra = size >= huge_page ? huge_page : 0;
  void* mapped =
      mmap(nullptr, size + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* start = static_cast<std::byte*>(mapped);
  if (extra == 0) return start;
  auto* aligned = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(start), huge_page));
  if (aligned != start) munmap(start, aligned - start);
  const std::size_t after = start + extra - aligned;
  if (after != 0) munmap(aligned + size, after);
  if (knobs::huge_pages()) madvise(aligned, size, MADV_HUGEPAGE);
  return aligned;
}

class HostMemory final : public MemorySource {
 public:
  std::uint64_t rounded(std::uint64_t bytes) const override {
    if (bytes < page) return std::max(round_up(bytes, alignment), alignment);
    return round_up(bytes, bytes < mapped_from ? page : 16 * page);
  }
  std::byte* allocate(std::uint64_t size) override {
    return size >= mapped_from ? map(size) : static_cast<std::byte*>(std::aligned_alloc(alignment, size));
  }
  void free(std::byte* block, std::uint64_t size) override {
    if (size >= mapped_from) {
      munmap(block, size);
    } else {
      std::free(block);
    }
  }
  void zero(std::byte* block, std::uint64_t size) override {
    if (size < mapped_from) {
      std::memset(block, 0, size);
    } else {
      madvise(block, size, MADV_DONTNEED);  // pages are zero when they are touched again
    }
  }
  void set_aside([[maybe_unused]] std::byte* block, [[maybe_unused]] std::uint64_t size) override {
    ASAN_POISON_MEMORY_REGION(block, size);
  }
  void use_again([[maybe_unused]] std::byte* block, [[maybe_unused]] std::uint64_t size) override {
    ASAN_UNPOISON_MEMORY_REGION(block, size);
  }
  std::string hint(bool /*has_refused*/) const override { return address_space_hint(); }
};

}  // namespace

std::shared_ptr<Allocator> host_allocator(std::uint64_t limit_bytes) {
  return Allocator::make(std::make_unique<HostMemory>(), limit_bytes);
}

}  // namespace weft::runtime
