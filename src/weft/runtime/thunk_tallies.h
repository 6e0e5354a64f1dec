// Adds up the time of every thunk while it is on. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <weft/runtime/executable.h>
#include <weft/runtime/thunk_times.h>

namespace weft::runtime {

class ThunkTallies {
 public:
  // Switching it on forgets what was added before.
  void set_on(bool on);
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  // One run each of thunks from `first` on.
  void add(const std::shared_ptr<const Executable>& executable, std::size_t first, std::span<const std::uint64_t> ns);
  std::vector<ThunkTime> times() const;

 private:
  struct Tally {
    std::uint64_t count = 0, ns = 0;
  };
  struct Program {
    std::shared_ptr<const Executable> executable;
    std::vector<Tally> tallies;  // of its thunks
  };

  std::atomic<bool> is_on_ = false;
  mutable std::mutex mutex_;
  std::vector<Program> programs_;  // in the order of first runs
};

}  // namespace weft::runtime
