// Runs launches: binds addresses, calls thunks in order, settles the outputs. Used by the device's thread alone, but for what is
// marked otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <weft/runtime/allocator.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/launch_record.h>
#include <weft/runtime/thunk_times.h>

namespace weft::runtime {

class Executor {
 public:
  enum class Outcome : std::uint8_t { done, failed, skipped };

  Executor(std::shared_ptr<Allocator> allocator, bool simulated)
      : allocator_(std::move(allocator)), simulated_(simulated) {}

  // Does everything but settling the outputs' slots and setting the event: that is the caller's, with `error`.
  Outcome run(LaunchRecord& launch, std::exception_ptr& error);

  // Thread-safe.
  void release_workspace() { release_workspace_ = true; }  // before the next launch
  std::uint64_t donation_copies() const { return donation_copies_.load(std::memory_order_relaxed); }
  void set_profiling(bool on);
  std::vector<ThunkTime> thunk_times() const;

 private:
  struct Tally {
    std::uint64_t count = 0, ns = 0;
    void add(std::uint64_t more_ns) {
      ++count;
      ns += more_ns;
    }
  };
  struct Profile {
    std::shared_ptr<const Executable> executable;
    std::vector<Tally> tallies;  // of its thunks
  };

  void bind(LaunchRecord& launch);
  void bind_outputs(LaunchRecord& launch);
  std::byte* workspace(std::uint64_t bytes);
  void run_thunks(const LaunchRecord& launch);
  void run_thunks_timed(const LaunchRecord& launch);
  Profile& profile_of(const std::shared_ptr<const Executable>& executable);

  std::shared_ptr<Allocator> allocator_;
  bool simulated_;
  Memory workspace_;  // of the temporaries of every launch, as large as the largest needs
  std::uint64_t workspace_bytes_ = 0;
  std::atomic<bool> release_workspace_ = false;
  std::atomic<std::uint64_t> donation_copies_ = 0;

  // Of the launch that runs; kept to reuse their memory.
  std::vector<std::byte*> inputs_, bases_;
  std::vector<Memory> outputs_;
  std::size_t thunk_ = 0;
  std::int64_t allocating_ = -1;  // the output that memory is asked for

  std::atomic<bool> profiling_ = false;
  mutable std::mutex profile_mutex_;
  std::vector<Profile> profiles_;  // in the order of first runs
};

}  // namespace weft::runtime
