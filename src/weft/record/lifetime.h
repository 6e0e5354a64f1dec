// Tells whether an object still exists where a recording found it. A compiled function identifies a captured object by its
// address, but the object may be destroyed or moved before the next call. Thread-safe, except that the object must not be
// destroyed during a call of watch().
#pragma once

#include <atomic>
#include <memory>

namespace weft::record {

// A member of such an object. Copied and moved objects are different objects, with their own lifetimes.
class Lifetime {
 public:
  using Watch = std::shared_ptr<const std::atomic<bool>>;  // true once the object is destroyed; outlives the object

  Lifetime() = default;
  Lifetime(const Lifetime& /*other*/) noexcept {}
  Lifetime& operator=(const Lifetime& /*other*/) noexcept { return *this; }
  ~Lifetime() {
    if (ended_) [[unlikely]]
      ended_->store(true, std::memory_order_release);
  }

  Watch watch() const;

 private:
  mutable std::shared_ptr<std::atomic<bool>> ended_;  // null until somebody watches
};

inline bool has_ended(const Lifetime::Watch& watch) { return watch->load(std::memory_order_acquire); }

}  // namespace weft::record
