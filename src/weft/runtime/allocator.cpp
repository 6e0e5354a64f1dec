#include <weft/runtime/allocator.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/base/log.h>
#include <weft/base/process.h>
#include <weft/runtime/node_pool.h>

namespace weft::runtime {

std::shared_ptr<Allocator> Allocator::make(std::unique_ptr<MemorySource> source, std::uint64_t limit_bytes) {
  return std::shared_ptr<Allocator>(new Allocator(std::move(source), limit_bytes));
}

Allocator::~Allocator() { release_cached(); }

Memory Allocator::allocate(std::uint64_t bytes, bool zeroed) {
  std::byte* address = nullptr;
  std::uint64_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    if (bytes > limit_ || in_use_ > limit_ - bytes) [[unlikely]]
      fail("allocate: cannot get ", format_bytes(bytes), ": ", format_bytes(in_use_), " of ", format_bytes(limit_),
           " are in use", source_->hint(false));
    size = source_->rounded(bytes);
    address = take_cached(size);
    if (!address) address = take_new(size);
    in_use_ += size;
    peak_ = std::max(peak_, in_use_);
  }
  if (zeroed) source_->zero(address, size);
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
  source_->use_again(address, size);
  return address;
}

std::byte* Allocator::take_new(std::uint64_t size) {
  if (released_sizes_.erase(size)) slack_ += size;  // it was released in vain: cache more from now on
  const std::uint64_t allowed = std::min(limit_, std::max(peak_, in_use_ + size) + slack_);
  while (cached_bytes_ != 0 && in_use_ + cached_bytes_ + size > allowed) release_oldest();
  std::byte* address = source_->allocate(size);
  while (!address && cached_bytes_ != 0) {
    release_oldest();
    address = source_->allocate(size);
  }
  if (!address)
    fail("allocate: the system refused ", format_bytes(size), ": ", format_bytes(in_use_), " of ", format_bytes(limit_),
         " are in use", source_->hint(true));
  ++system_allocations_;
  WEFT_LOG(memory, "new block of ", format_bytes(size), "; in use ", format_bytes(in_use_ + size), ", kept ",
           format_bytes(cached_bytes_));
  return address;
}

void Allocator::give_back(std::byte* address, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  source_->set_aside(address, size);
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
  std::byte* const block = oldest->second.front().address;
  source_->use_again(block, size);
  source_->free(block, size);
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
