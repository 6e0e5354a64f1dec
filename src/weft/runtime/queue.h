// A device's queue: launches in the order of submission, the thread that runs them, and the bounds on how far the host may be
// ahead. The work that a launch leaves behind (releasing inputs, metrics, reads of its outputs) is done by the host with the
// next launch, because the device's thread has none of this data in a cache between two launches. Thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <weft/base/trace.h>
#include <weft/runtime/device.h>
#include <weft/runtime/executor.h>
#include <weft/runtime/fifo.h>
#include <weft/runtime/launch_record.h>
#include <weft/runtime/recent.h>
#include <weft/runtime/stream_worker.h>

namespace weft::runtime {

class Queue {
 public:
  // All arguments must outlive the queue.
  Queue(const DeviceOptions& options, DeviceBackend& backend, Executor& executor);
  ~Queue();  // finishes what is left
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Returns an empty record, which may reuse the memory of an earlier launch.
  LaunchPtr new_record();
  // Numbers the launch and passes it to the device. Waits first while the host is too far ahead, and returns for how many
  // nanoseconds it waited. `scope` gets the id of the launch. If `may_run_here`, a launch of a short program runs on the calling
  // thread while the device has nothing else to do, because waking the device's thread takes longer.
  std::uint64_t submit(LaunchPtr launch, trace::Scope& scope, bool may_run_here = false);
  void submit(ReadPtr read);
  // Runs `copy`, which sets `done` and must not throw, on the thread of the copy stream.
  void submit_copy(std::shared_ptr<Event> done, std::function<void()> copy);
  // Appends to `to` the reads of a buffer that may not be done yet.
  void add_reads(const Buffer& of, std::vector<ReadPtr>& to) const;

  // Called by streams and flights, on any thread. Tells that the compute stream has done its part of a launch; in the order of
  // launches.
  void computed(LaunchRecord& launch);
  // Returns when the compute stream has done its part of every launch before launch `number`.
  void await_computed(std::uint64_t number) const;
  // Ends a launch: settles its outputs.
  void complete(LaunchPtr launch, StreamError error);

  // Adds to `launch` the ends of launches that may read on other streams the memory that `launch` takes over from `inputs`.
  void add_readers(std::span<const BufferPtr> inputs, LaunchRecord& launch) const;

  void synchronize();  // waits for everything submitted so far
  void add_to(DeviceStats& stats) const;
  std::vector<std::uint64_t> gaps_ns() const;

 private:
  struct Times {  // the last two launches of a program; the first may have taken much longer than others
    std::atomic<std::uint64_t> last = 0, before = 0;
    void add(std::uint64_t ns) {
      before.store(last.load(std::memory_order_relaxed), std::memory_order_relaxed);
      last.store(ns, std::memory_order_relaxed);
    }
    std::uint64_t least() const {
      return std::min(last.load(std::memory_order_relaxed), before.load(std::memory_order_relaxed));
    }
  };
  // The last two launches of one program.
  struct Durations {
    std::weak_ptr<const Executable> program;  // no other program gets its address while this refers to it
    bool only_computes = false;               // has no thunks of other streams, such as functions of the host
    std::uint64_t last = 0, before = 0;       // 0: not known
  };
  static constexpr std::size_t usual_launches = 128;  // launches that wait; room for them is allocated once

  void work();
  void await_awake() const;
  void run(LaunchPtr owned);
  bool should_run_here(const LaunchRecord& launch) const;
  void run_here(LaunchPtr launch);
  void add_duration(const LaunchRecord& launch);
  bool tidy_one(std::unique_lock<std::mutex>& lock);
  void tidy();
  static void account(LaunchRecord& launch);
  Times& times_of(const Executable& executable);
  void start_flight(const LaunchRecord& launch);
  StreamWorker& worker(StreamKind kind);
  bool has_flight_before(std::uint64_t number) const;
  std::uint64_t await_run_ahead(std::uint64_t bytes, std::unique_lock<std::mutex>& lock);
  void doze(std::uint64_t waited_ns, std::unique_lock<std::mutex>& lock) const;

  const DeviceOptions& options_;
  DeviceBackend& backend_;
  Executor& executor_;

  mutable std::mutex mutex_;  // guards everything up to flight_count_
  std::condition_variable arrived_, retired_;
  std::vector<LaunchPtr> incoming_;
  std::atomic<bool> has_incoming_ = false;  // changed together with incoming_
  Fifo<LaunchPtr> ended_{usual_launches};   // the device is done with these
  Fifo<ReadPtr> reads_{usual_launches};     // not known to be done
  std::vector<LaunchPtr> spare_records_;
  std::array<Durations, 64> durations_;  // indexed by slot_of()
  bool stopping_ = false;
  bool runs_here_ = false;              // a launching thread runs its launch, and the device's thread must wait
  std::uint64_t asked_ = 0, done_ = 0;  // number of launches and reads
  std::uint64_t launches_ = 0, in_flight_ = 0, bytes_in_flight_ = 0;
  int waiting_ = 0;  // threads that wait for retired_
  std::uint64_t failed_ = 0, skipped_ = 0, host_waits_ = 0, host_wait_ns_ = 0;
  std::uint64_t peak_run_ahead_ = 0, peak_run_ahead_bytes_ = 0, busy_ns_ = 0, idle_ns_ = 0;
  Recent gaps_;
  // Launches with parts on other streams, which may end after later launches: they count neither in asked_ nor in done_.
  struct InFlight {
    std::uint64_t number;
    std::vector<const Buffer*> inputs;  // inputs that the launch keeps
    std::shared_ptr<Event> done;
  };
  std::vector<InFlight> flights_;
  std::atomic<std::size_t> flight_count_ = 0;                        // changed together with flights_
  std::array<std::unique_ptr<StreamWorker>, stream_kinds> workers_;  // made at first use
  std::shared_ptr<Event> last_copy_;                                 // set by submit_copy; copies are made in order

  // The estimated end of the running launch, rather too early than too late.
  std::atomic<std::uint64_t> expected_end_ = 0;
  std::array<Times, 16> times_{};  // indexed by a hash of the executable; collisions only spoil the estimates

  // The end of the last launch; used only by the thread on which the compute stream reports its ends.
  std::uint64_t last_end_ = 0;
  std::atomic<std::uint64_t> computed_ = 0;  // number of launches

  // Used only by the device's thread.
  bool stays_awake_ = false;

  std::thread thread_;  // last, because it uses the members above
};

}  // namespace weft::runtime
