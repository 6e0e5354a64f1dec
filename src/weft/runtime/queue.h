// A device's queue: launches and reads in the order in which they were asked for, the thread that does them, and the bounds to how
// far the host may be ahead of it. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include <weft/base/trace.h>
#include <weft/runtime/device.h>
#include <weft/runtime/executor.h>
#include <weft/runtime/launch_record.h>
#include <weft/runtime/recent.h>

namespace weft::runtime {

class Queue {
 public:
  // Both outlive it.
  Queue(const DeviceOptions& options, const Allocator& allocator, Executor& executor);
  ~Queue();  // does what is left
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Empty, but for memory that an earlier launch left.
  LaunchPtr new_record();
  // Numbers the launch and hands it over; before that it waits while the host is too far ahead, and returns for how many
  // nanoseconds it did. `scope` gets the number.
  std::uint64_t submit(LaunchPtr launch, trace::Scope& scope);
  void submit(ReadPtr read);

  void synchronize();  // returns when everything submitted so far is done
  void add_to(DeviceStats& stats) const;
  std::vector<std::uint64_t> gaps_ns() const;

 private:
  using Task = std::variant<LaunchPtr, ReadPtr>;
  // By one launch.
  struct Spent {
    std::uint64_t queued_ns = 0, busy_ns = 0, idle_ns = 0;
    bool follows = false;  // another launch: it has been idle
  };
  struct Times {
    std::uint64_t last = 0, before = 0;  // of the last two launches: the first may have taken much longer than others
  };
  static constexpr std::size_t usual_tasks = 256;  // that wait: room for them is made once

  void work();
  void await_awake() const;
  void run(LaunchRecord& launch);
  static void run(Read& read);
  void retire(Task& task);
  void account();
  void enqueue(Task task, std::unique_lock<std::mutex>& lock);
  Times& times_of(const Executable& executable);
  std::uint64_t await_run_ahead(std::uint64_t bytes, std::unique_lock<std::mutex>& lock);
  void doze(std::uint64_t waited_ns, std::unique_lock<std::mutex>& lock) const;

  const DeviceOptions& options_;
  const Allocator& allocator_;
  Executor& executor_;

  mutable std::mutex mutex_;  // of everything up to spent_
  std::condition_variable arrived_, retired_;
  std::vector<Task> incoming_;
  std::atomic<bool> has_incoming_ = false;  // changed with it
  std::vector<LaunchPtr> spare_records_;
  bool stopping_ = false;
  std::uint64_t enqueued_ = 0, done_ = 0;  // tasks
  std::uint64_t launches_ = 0, in_flight_ = 0, bytes_in_flight_ = 0;
  int waiting_ = 0;  // threads for retired_
  std::uint64_t failed_ = 0, skipped_ = 0, host_waits_ = 0, host_wait_ns_ = 0;
  std::uint64_t peak_run_ahead_ = 0, peak_run_ahead_bytes_ = 0, busy_ns_ = 0, idle_ns_ = 0;
  Recent gaps_;
  std::vector<Spent> spent_;  // not yet in the metrics

  std::atomic<std::uint64_t> expected_end_ = 0;  // of the launch that runs, not later than that

  // Of the device's thread.
  std::uint64_t last_end_ = 0;     // of a launch
  std::array<Times, 16> times_{};  // by a hash of the executable: they are estimates
  bool stays_awake_ = false;

  std::thread thread_;  // last: it uses what stands above
};

}  // namespace weft::runtime
