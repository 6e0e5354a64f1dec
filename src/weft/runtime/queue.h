// A device's queue: launches in the order in which they were asked for, the thread that does them, and the bounds to how far the
// host may be ahead of it. What a launch leaves to do (its inputs to let go of, metrics, reads of what it made) is done by the host,
// with the next launch: the device's thread, between two launches, has none of it in a cache. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <weft/base/trace.h>
#include <weft/runtime/device.h>
#include <weft/runtime/executor.h>
#include <weft/runtime/fifo.h>
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
  // nanoseconds it did. `scope` gets its id.
  std::uint64_t submit(LaunchPtr launch, trace::Scope& scope);
  void submit(ReadPtr read);
  // The reads of a buffer that may not be done yet.
  void add_reads(const Buffer& of, std::vector<ReadPtr>& to) const;

  void synchronize();  // returns when everything submitted so far is done
  void add_to(DeviceStats& stats) const;
  std::vector<std::uint64_t> gaps_ns() const;

 private:
  struct Times {
    std::uint64_t last = 0, before = 0;  // of the last two launches: the first may have taken much longer than others
  };
  static constexpr std::size_t usual_launches = 128;  // that wait: room for them is made once

  void work();
  void await_awake() const;
  void run(LaunchPtr launch);
  bool tidy_one(std::unique_lock<std::mutex>& lock);
  void tidy();
  static void account(LaunchRecord& launch);
  Times& times_of(const Executable& executable);
  std::uint64_t await_run_ahead(std::uint64_t bytes, std::unique_lock<std::mutex>& lock);
  void doze(std::uint64_t waited_ns, std::unique_lock<std::mutex>& lock) const;

  const DeviceOptions& options_;
  const Allocator& allocator_;
  Executor& executor_;

  mutable std::mutex mutex_;  // of everything up to gaps_
  std::condition_variable arrived_, retired_;
  std::vector<LaunchPtr> incoming_;
  std::atomic<bool> has_incoming_ = false;  // changed with it
  Fifo<LaunchPtr> ended_{usual_launches};   // the device is done with them
  Fifo<ReadPtr> reads_{usual_launches};     // of which it is not known that they are done
  std::vector<LaunchPtr> spare_records_;
  bool stopping_ = false;
  std::uint64_t asked_ = 0, done_ = 0;  // launches and reads
  std::uint64_t launches_ = 0, in_flight_ = 0, bytes_in_flight_ = 0;
  int waiting_ = 0;  // threads for retired_
  std::uint64_t failed_ = 0, skipped_ = 0, host_waits_ = 0, host_wait_ns_ = 0;
  std::uint64_t peak_run_ahead_ = 0, peak_run_ahead_bytes_ = 0, busy_ns_ = 0, idle_ns_ = 0;
  Recent gaps_;

  std::atomic<std::uint64_t> expected_end_ = 0;  // of the launch that runs, not later than that

  // Of the device's thread.
  std::uint64_t last_end_ = 0;     // of a launch
  std::array<Times, 16> times_{};  // by a hash of the executable: they are estimates
  bool stays_awake_ = false;

  std::thread thread_;  // last: it uses what stands above
};

}  // namespace weft::runtime
