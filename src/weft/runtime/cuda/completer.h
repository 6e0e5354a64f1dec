// Tells milestones that a stream of a GPU has reached them: a thread waits for the stream in the order of the milestones. After each, the
// stream writes the milestone's number to memory of the host. This is read faster than the driver answers, and when the GPU has failed it
// tells which launches had ended before, which the driver does not.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <weft/base/error.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpu_clock.h>
#include <weft/runtime/cuda/gpu_memory.h>
#include <weft/runtime/stream.h>

namespace weft::runtime::cuda {

// The first error after which a GPU refuses all work of this process. It is the error of the launch that was running; all later launches
// carry it. Thread-safe.
class Failure {
 public:
  // Returns the error that a launch carries for which the driver reported the current exception.
  std::exception_ptr of_current_exception();
  // Returns the error of a call that cannot have caused this one itself.
  static Error of_earlier_launch(const std::string& message);

 private:
  std::mutex mutex_;
  std::string first_;
};

// One thread at a time gives it milestones.
class Completer {
 public:
  Completer(int ordinal, CUstream stream, Failure& failure);
  ~Completer();  // after drain()
  Completer(const Completer&) = delete;
  Completer& operator=(const Completer&) = delete;

  // Tells `milestone` when the stream has done all that was passed to it: with `error` if it holds one, else with the stream's outcome.
  // Before that, tells the timers when the `timed` thunks ran.
  void add(Milestone& milestone, StreamError error, std::vector<GpuClock::Timed> timed);
  // Returns when all milestones have been told.
  void drain();
  GpuClock& clock() { return clock_; }
  const GpuClock& clock() const { return clock_; }

 private:
  struct Waiting {
    CUevent event = nullptr;  // null: there is nothing to wait for
    std::uint32_t number = 0;
    Milestone* milestone = nullptr;
    StreamError error;
    std::vector<GpuClock::Timed> timed;
  };

  CUevent record(std::uint32_t number);
  bool has_reached(std::uint32_t number) const;
  void await(const Waiting& next) const;
  void work();

  const int ordinal_;
  const CUstream stream_;
  Failure& failure_;
  GpuClock clock_;
  PinnedMemory pinned_;
  std::uint32_t* const reached_;  // the number of the last milestone that the stream has reached
  std::uint32_t last_ = 0;        // the number of the last milestone that was added
  std::mutex mutex_;
  std::condition_variable arrived_, told_;
  std::deque<Waiting> waiting_;  // the front one stays here until its milestone has been told
  std::vector<CUevent> spare_events_;
  bool is_stopping_ = false;
  std::thread thread_;  // runs from the first milestone on
};

}  // namespace weft::runtime::cuda
