// Tells whether an object still is where a recording found it. A compiled function knows what it captured by address; the object may
// end, or be moved, before the next call. Thread-safe, but the object must not end during a call of watch().
#pragma once

#include <atomic>
#include <memory>

namespace weft::record {

// A member of such an object. Copies and moved ones are other objects, with lifetimes of their own.
class Lifetime {
 public:
  using Watch = std::shared_ptr<const std::atomic<bool>>;  // true once the object has ended; outlives it

  Lifetime() = default;
  Lifetime(const Lifetime& /*other*/) noexcept {}
  Lifetime& operator=(const Lifetime& /*other*/) noexcept { return *this; }
  ~Lifetime() {
    if (ended_) [[unlikely]]
      ended_->store(true, std::memory_order_release);
  }

  Watch watch() const;

 private:
  mutable std::shared_ptr<std::atomic<bool>> ended_;  // once somebody watches
};

inline bool has_ended(const Lifetime::Watch& watch) { return watch->load(std::memory_order_acquire); }

}  // namespace weft::record
