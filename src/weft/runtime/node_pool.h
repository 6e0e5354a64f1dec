// An allocator for small objects that one thread makes and another lets go of, as the host and the device do with buffers:
// malloc is slow at that. Each thread keeps a few nodes; full magazines change threads in one piece. Memory is kept for reuse.
// Objects are asked for one at a time. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace weft::runtime {

template <std::size_t Size, std::size_t Alignment>
class NodePool {
 public:
  static void* take() {
    if (local_ended) return ::operator new(Size, std::align_val_t(Alignment));
    Magazine& magazine = local.magazine;
    if (magazine.count == 0) shared().refill(magazine);
    return magazine.nodes[--magazine.count];
  }

  static void give(void* node) {
    if (local_ended) {
      ::operator delete(node, std::align_val_t(Alignment));
      return;
    }
    Magazine& magazine = local.magazine;
    if (magazine.count == capacity) shared().drain(magazine);
    magazine.nodes[magazine.count++] = node;
  }

 private:
  static constexpr std::size_t capacity = 128, batch = capacity / 2;

  struct Magazine {
    std::array<void*, capacity> nodes{};
    std::size_t count = 0;
  };

  // A step long ago may have been the last to touch it; all of a batch come from memory at once.
  static void prefetch(const void* node) {
    constexpr std::size_t line = 64;
    for (std::size_t at = 0; at < Size; at += line) __builtin_prefetch(static_cast<const std::byte*>(node) + at, 1);
  }

  struct Shared {
    std::mutex mutex;
    std::vector<void*> nodes;

    void refill(Magazine& magazine) {
      {
        const std::lock_guard lock(mutex);
        for (; magazine.count < batch && !nodes.empty(); nodes.pop_back()) {
          magazine.nodes[magazine.count++] = nodes.back();
          prefetch(nodes.back());
        }
      }
      while (magazine.count < batch)
        magazine.nodes[magazine.count++] = ::operator new(Size, std::align_val_t(Alignment));
    }

    void drain(Magazine& magazine) {
      const std::lock_guard lock(mutex);
      for (std::size_t i = 0; i < batch; ++i) nodes.push_back(magazine.nodes[--magazine.count]);
    }
  };

  struct Local {
    Magazine magazine;
    ~Local() {
      local_ended = true;
      while (magazine.count > 0) ::operator delete(magazine.nodes[--magazine.count], std::align_val_t(Alignment));
    }
  };

  static Shared& shared() {
    static auto* instance = new Shared;  // never destroyed: buffers may outlive every other object
    return *instance;
  }

  static inline thread_local Local local;
  static inline thread_local bool local_ended = false;
};

template <class T>
struct PoolAllocator {
  using value_type = T;

  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>& /*other*/) {}  // NOLINT: allocators convert

  T* allocate(std::size_t /*one*/) { return static_cast<T*>(NodePool<sizeof(T), alignof(T)>::take()); }
  void deallocate(T* node, std::size_t /*one*/) { NodePool<sizeof(T), alignof(T)>::give(node); }

  template <class U>
  friend bool operator==(const PoolAllocator& /*a*/, const PoolAllocator<U>& /*b*/) {
    return true;
  }
};

template <class T, class... Args>
std::shared_ptr<T> make_pooled(Args&&... args) {
#if defined(__SANITIZE_ADDRESS__)
  return std::make_shared<T>(std::forward<Args>(args)...);  // so that every use after the end is seen
#endif
  return std::allocate_shared<T>(PoolAllocator<T>(), std::forward<Args>(args)...);
}

}  // namespace weft::runtime
