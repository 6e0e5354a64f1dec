// An Arena allocates memory by advancing a pointer and frees it all at once. It never destroys the objects it holds, so they
// must be trivially destructible. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { *this = std::move(other); }
  Arena& operator=(Arena&& other) noexcept {  // leaves the other empty
    blocks_ = std::exchange(other.blocks_, {});
    next_ = std::exchange(other.next_, 0);
    cursor_ = std::exchange(other.cursor_, 0);
    end_ = std::exchange(other.end_, 0);
    return *this;
  }

  void* allocate(std::size_t bytes, std::size_t alignment) {
    auto at = (cursor_ + alignment - 1) & ~(alignment - 1);
    if (at + bytes > end_) [[unlikely]] {
      grow(bytes + alignment);
      at = (cursor_ + alignment - 1) & ~(alignment - 1);
    }
    cursor_ = at + bytes;
    return reinterpret_cast<void*>(at);
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    auto* to = static_cast<T*>(allocate(items.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void*>(to), items.data(), items.size_bytes());
    return {to, items.size()};
  }

  // Forgets everything, keeping the memory for the next use.
  void clear() {
    next_ = 0;
    cursor_ = end_ = 0;
  }

 private:
  void grow(std::size_t at_least) {
    while (next_ < blocks_.size() && blocks_[next_].size < at_least) ++next_;
    if (next_ == blocks_.size()) {
      const std::size_t size = std::max(at_least, std::min(std::size_t{1} << 20, std::size_t{16384} << blocks_.size()));
      blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    }
    cursor_ = reinterpret_cast<std::uintptr_t>(blocks_[next_].bytes.get());
    end_ = cursor_ + blocks_[next_].size;
    ++next_;
  }

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::size_t next_ = 0;
  std::uintptr_t cursor_ = 0, end_ = 0;
};

}  // namespace weft
