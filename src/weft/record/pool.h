// Memory for many small objects of one type. Each thread keeps what it freed, up to a limit, and shares the rest in batches, so
// that objects made on one thread and dropped on another do not pile up. The memory is never given back to the system: objects
// may outlive every static.  Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace weft::record {

template <class T>
class Pool {
 public:
  template <class... Args>
  static T* make(Args&&... args) {
    if (!local.head) [[unlikely]]
      local = Store::instance().take();
    Piece* piece = local.head;
    local.head = piece->next;
    --local.count;
    return new (piece->bytes) T(std::forward<Args>(args)...);
  }

  static void destroy(T* object) {
    object->~T();
    auto* piece = reinterpret_cast<Piece*>(object);
    piece->next = local.head;
    local.head = piece;
    if (++local.count == 2 * batch) [[unlikely]]
      share_half();
  }

 private:
  static constexpr int batch = 256;

  union Piece {
    Piece* next;
    alignas(T) std::byte bytes[sizeof(T)];
  };
  struct Chain {
    Piece* head = nullptr;
    int count = 0;
  };

  class Store {
   public:
    static Store& instance() {
      static auto* store = new Store;
      return *store;
    }
    Chain take() {
      thread_local const Returner returner;  // made before the thread's first object
      const std::lock_guard lock(mutex_);
      if (chains_.empty()) return carve();
      const Chain chain = chains_.back();
      chains_.pop_back();
      return chain;
    }
    void give(Chain chain) {
      const std::lock_guard lock(mutex_);
      chains_.push_back(chain);
    }

   private:
    Chain carve() {
      slabs_.push_back(std::make_unique<std::array<Piece, batch>>());
      Chain chain;
      for (Piece& piece : *slabs_.back()) {
        piece.next = chain.head;
        chain.head = &piece;
        ++chain.count;
      }
      return chain;
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<std::array<Piece, batch>>> slabs_;
    std::vector<Chain> chains_;
  };

  // Hands back what a thread kept when the thread ends.
  struct Returner {
    ~Returner() {
      if (local.head) Store::instance().give(std::exchange(local, {}));
    }
  };

  static void share_half() {
    Piece* last = local.head;
    for (int i = 1; i < batch; ++i) last = last->next;
    const Chain given{local.head, batch};
    local = {last->next, local.count - batch};
    last->next = nullptr;
    Store::instance().give(given);
  }

  static constinit inline thread_local Chain local{};
};

}  // namespace weft::record
