// Adds up the times of every thunk while switched on. Thread-safe.
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
  // Switching on discards the earlier sums.
  void set_on(bool on);
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  // Adds one run of each of the thunks from `first` on, which took ns[i] nanoseconds.
  void add(const std::shared_ptr<const Executable>& executable, std::size_t first, std::span<const std::uint64_t> ns);
  std::vector<ThunkTime> times() const;

 private:
  struct Tally {
    std::uint64_t count = 0, ns = 0;
  };
  struct Program {
    std::shared_ptr<const Executable> executable;
    std::vector<Tally> tallies;  // one per thunk
  };

  std::atomic<bool> is_on_ = false;
  mutable std::mutex mutex_;
  std::vector<Program> programs_;  // in the order of their first runs
};

}  // namespace weft::runtime
