// An allocator for small objects that one thread makes and another frees, as the host and the device do with buffers; malloc is
// slow in this case. Each node has its own cache lines, and many nodes are adjacent. Each thread keeps a few in a magazine;
// full magazines pass between threads as a whole. The node freed last is taken first, because it may still be in a cache.
// Memory is kept for reuse and never returned to the system, because objects may outlive every static. Objects are allocated
// one at a time. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace weft::runtime {

inline constexpr std::size_t cache_line = 64;

// A pool of nodes of at least `Size` bytes. `Prepare` is called once for each node, when it is new.
template <std::size_t Size, void (*Prepare)(void*) = nullptr>
class NodePool {
 public:
  static void* take() {
    Magazine* const magazine = local.magazine;
    if (!magazine || magazine->count == 0) [[unlikely]]
      return take_shared();
    return magazine->nodes[--magazine->count];
  }

  static void give(void* node) {
    Magazine* const magazine = local.magazine;
    if (!magazine || magazine->count == capacity) [[unlikely]] {
      give_shared(node);
    } else {
      magazine->nodes[magazine->count++] = node;
    }
  }

 private:
  static constexpr std::size_t capacity = 128, batch = capacity / 2;
  static constexpr std::size_t node_bytes = (Size + cache_line - 1) / cache_line * cache_line;

  struct Magazine {
    std::array<void*, capacity> nodes{};
    std::size_t count = 0;
  };

  class Shared {
   public:
    void refill(Magazine& magazine, std::size_t count) {
      const std::lock_guard lock(mutex_);
      if (nodes_.empty()) make_nodes();
      for (; count > 0 && !nodes_.empty(); --count, nodes_.pop_back()) magazine.nodes[magazine.count++] = nodes_.back();
    }
    void drain(Magazine& magazine, std::size_t count) {
      const std::lock_guard lock(mutex_);
      for (; count > 0; --count) nodes_.push_back(magazine.nodes[--magazine.count]);
    }

   private:
    void make_nodes() {
      made_ += batch;
      nodes_.reserve(made_);  // room for all nodes, since all may come back
      auto* const slab = static_cast<std::byte*>(::operator new(batch * node_bytes, std::align_val_t(cache_line)));
      for (std::size_t i = batch; i-- > 0;) {  // reversed, so that the first node is taken first
        if constexpr (Prepare != nullptr) Prepare(slab + i * node_bytes);
        nodes_.push_back(slab + i * node_bytes);
      }
    }

    std::mutex mutex_;
    std::vector<void*> nodes_;
    std::size_t made_ = 0;
  };

  // The magazine of a thread, from its first node to its end.
  struct Owner {
    Magazine magazine;
    Owner() { local.magazine = &magazine; }
    ~Owner() {
      local = {.magazine = nullptr, .has_ended = true};
      shared().drain(magazine, magazine.count);
    }
  };
  // Returns this thread's magazine, or null if the thread is ending.
  static Magazine* own_magazine() { return local.has_ended ? nullptr : &owner.magazine; }

  [[gnu::noinline]] static void* take_shared() {
    Magazine one;
    Magazine* const own = own_magazine();
    Magazine& magazine = own ? *own : one;
    shared().refill(magazine, own ? batch : 1);
    return magazine.nodes[--magazine.count];
  }
  [[gnu::noinline]] static void give_shared(void* node) {
    Magazine one;
    Magazine* const own = own_magazine();
    Magazine& magazine = own ? *own : one;
    if (own && magazine.count == capacity) shared().drain(magazine, batch);
    magazine.nodes[magazine.count++] = node;
    if (!own) shared().drain(magazine, 1);
  }

  static Shared& shared() {
    static auto* instance = new Shared;  // never destroyed
    return *instance;
  }

  static inline thread_local Owner owner;  // a thread takes and gives nodes without a lock
  // A copy of the owner's state that is cheaper to access: `owner` has a destructor, so every access to it costs a check.
  struct Local {
    Magazine* magazine = nullptr;  // null before the magazine is made, and after the thread has ended
    bool has_ended = false;
  };
  static constinit inline thread_local Local local{};
};

// Makes one object in a node of the pool.
template <class T, class... Args>
T* make_in_pool(Args&&... args) {
#if defined(__SANITIZE_ADDRESS__)
  return new T(std::forward<Args>(args)...);  // lets AddressSanitizer see every use after the end
#else
  return new (NodePool<sizeof(T)>::take()) T(std::forward<Args>(args)...);
#endif
}
template <class T>
void destroy_in_pool(T* object) {
#if defined(__SANITIZE_ADDRESS__)
  delete object;
#else
  object->~T();
  NodePool<sizeof(T)>::give(object);
#endif
}

template <class T>
struct PoolAllocator {
  using value_type = T;

  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>& /*other*/) {}  // NOLINT: allocators convert

  T* allocate(std::size_t /*one*/) { return static_cast<T*>(NodePool<sizeof(T)>::take()); }
  void deallocate(T* node, std::size_t /*one*/) { NodePool<sizeof(T)>::give(node); }

  template <class U>
  friend bool operator==(const PoolAllocator& /*a*/, const PoolAllocator<U>& /*b*/) {
    return true;
  }
};

template <class T, class... Args>
std::shared_ptr<T> make_pooled(Args&&... args) {
#if defined(__SANITIZE_ADDRESS__)
  return std::make_shared<T>(std::forward<Args>(args)...);  // lets AddressSanitizer see every use after the end
#endif
  return std::allocate_shared<T>(PoolAllocator<T>(), std::forward<Args>(args)...);
}

}  // namespace weft::runtime
