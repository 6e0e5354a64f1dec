#include <weft/runtime/cpu/allocator.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/process.h>
#include <weft/runtime/node_pool.h>

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

// Rounds sizes, so that blocks of nearly equal sizes are interchangeable.
std::uint64_t rounded(std::uint64_t bytes) {
  if (bytes < page) return std::max(round_up(bytes, alignment), alignment);
  return round_up(bytes, bytes < mapped_from ? page : 16 * page);
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

std::byte* system_allocate(std::uint64_t size) {
  return size >= mapped_from ? map(size) : static_cast<std::byte*>(std::aligned_alloc(alignment, size));
}

void system_free(std::byte* address, std::uint64_t size) {
  ASAN_UNPOISON_MEMORY_REGION(address, size);
  if (size >= mapped_from) {
    munmap(address, size);
  } else {
    std::free(address);
  }
}

void zero(std::byte* address, std::uint64_t size) {
  if (size < mapped_from) {
    std::memset(address, 0, size);
  } else {
    madvise(address, size, MADV_DONTNEED);  // pages are zero when they are touched again
  }
}

}  // namespace

std::shared_ptr<Allocator> Allocator::make(std::uint64_t limit_bytes) {
  return std::shared_ptr<Allocator>(new Allocator(limit_bytes));
}

Allocator::~Allocator() { release_cached(); }

Memory Allocator::allocate(std::uint64_t bytes, bool zeroed) {
  std::byte* address = nullptr;
  std::uint64_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    if (bytes > limit_ || in_use_ > limit_ - bytes) [[unlikely]]
      fail("allocate: cannot get ", format_bytes(bytes), ": ", format_bytes(in_use_), " of ", format_bytes(limit_),
           " are in use", address_space_hint());
    size = rounded(bytes);
    address = take_cached(size);
    if (!address) address = take_new(size);
    in_use_ += size;
    peak_ = std::max(peak_, in_use_);
  }
  if (zeroed) zero(address, size);
  return Memory(std::shared_ptr<std::byte>(
      address, [self = shared_from_this(), size](std::byte* block) { self->give_back(block, size); },
      PoolAllocator<std::byte>()));
}

// Takes a cached block of the given size or up to a quarter more, and sets `size` to the size of the block. Empty lists stay in
// the map, so that a step that repeats makes no new ones.
std::byte* Allocator::take_cached(std::uint64_t& size) {
  auto found = cached_.lower_bound(size);
  while (found != cached_.end() && found->second.empty()) ++found;
  if (found == cached_.end() || found->first > size + size / 4) return nullptr;
  size = found->first;
  std::byte* address = found->second.back().address;
  found->second.pop_back();
  cached_bytes_ -= size;
  ASAN_UNPOISON_MEMORY_REGION(address, size);
  return address;
}

std::byte* Allocator::take_new(std::uint64_t size) {
  if (released_sizes_.erase(size)) slack_ += size;  // it was released in vain: cache more from now on
  const std::uint64_t allowed = std::min(limit_, std::max(peak_, in_use_ + size) + slack_);
  while (cached_bytes_ != 0 && in_use_ + cached_bytes_ + size > allowed) release_oldest();
  std::byte* address = system_allocate(size);
  while (!address && cached_bytes_ != 0) {
    release_oldest();
    address = system_allocate(size);
  }
  if (!address)
    fail("allocate: the system refused ", format_bytes(size), ": ", format_bytes(in_use_), " of ", format_bytes(limit_),
         " are in use", address_space_hint());
  ++system_allocations_;
  WEFT_LOG(memory, "new block of ", format_bytes(size), "; in use ", format_bytes(in_use_ + size), ", kept ",
           format_bytes(cached_bytes_));
  return address;
}

void Allocator::give_back(std::byte* address, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  ASAN_POISON_MEMORY_REGION(address, size);
  cached_[size].push_back({address, gave_back_++});
  cached_bytes_ += size;
  in_use_ -= size;
}

void Allocator::release_oldest() {
  std::erase_if(cached_, [](const auto& blocks) { return blocks.second.empty(); });
  const auto oldest =
      std::ranges::min_element(cached_, {}, [](const auto& blocks) { return blocks.second.front().since; });
  const auto size = oldest->first;
  WEFT_LOG(memory, "released a block of ", format_bytes(size));
  system_free(oldest->second.front().address, size);
  oldest->second.erase(oldest->second.begin());
  if (oldest->second.empty()) cached_.erase(oldest);
  cached_bytes_ -= size;
  released_sizes_.insert(size);
}

void Allocator::release_cached() {
  const std::lock_guard lock(mutex_);
  while (cached_bytes_ != 0) release_oldest();
  released_sizes_.clear();
}

MemoryStats Allocator::stats() const {
  const std::lock_guard lock(mutex_);
  return {.bytes_in_use = in_use_,
          .peak_bytes_in_use = peak_,
          .bytes_cached = cached_bytes_,
          .bytes_limit = limit_,
          .system_allocations = system_allocations_};
}

}  // namespace weft::runtime
