// Tells milestones that a stream of a GPU has reached them: a thread waits for the stream in the order of the milestones.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/stream.h>

namespace weft::runtime::cuda {

// The first error after which a GPU refuses all work of this process. It is the error of the launch that was running; all later launches
// carry it. Thread-safe.
class Failure {
 public:
  // Returns the error that a launch carries whose call of the driver failed with the current exception.
  std::exception_ptr of_current_exception();

 private:
  std::mutex mutex_;
  std::string first_;
};

// One thread at a time gives it milestones.
class Completer {
 public:
  Completer(int ordinal, Failure& failure) : ordinal_(ordinal), failure_(failure) {}
  ~Completer();  // after drain()
  Completer(const Completer&) = delete;
  Completer& operator=(const Completer&) = delete;

  // Tells `milestone` when the stream has done all that was passed to it: with `error` if it holds one, else with the stream's outcome.
  void add(CUstream stream, Milestone& milestone, StreamError error);
  // Returns when all milestones have been told.
  void drain();

 private:
  struct Waiting {
    CUevent event = nullptr;  // null: there is nothing to wait for
    Milestone* milestone = nullptr;
    StreamError error;
  };

  CUevent record(CUstream stream);
  void await(CUevent event) const;
  void work();

  const int ordinal_;
  Failure& failure_;
  std::mutex mutex_;
  std::condition_variable arrived_, told_;
  std::deque<Waiting> waiting_;  // the front one stays here until its milestone has been told
  std::vector<CUevent> spare_events_;
  bool is_stopping_ = false;
  std::thread thread_;  // runs from the first milestone on
};

}  // namespace weft::runtime::cuda
