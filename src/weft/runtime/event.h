// A point in time that is waited for. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace weft::runtime {

class Slots;

// It comes with success or with the error of the launch that failed. The first outcome wins. Small, and without a lock: when it
// comes and nobody waits, that costs the device one line of memory between two launches.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event() = default;

  bool ready() const { return state_.load(std::memory_order_acquire) == came; }
  bool succeeded() const { return ready() && !error_; }
  void wait() const;                                  // returns when it has come; rethrows the error
  std::exception_ptr error() const;                   // waits; null after success
  std::uint64_t came_ns() const { return came_ns_; }  // in the time of trace::now_ns; once ready
  void set() { settle(nullptr); }
  void set_error(std::exception_ptr error) { settle(std::move(error)); }

  // Whether it comes in the order of launches on its device's compute stream, as those of launches do unless somebody says
  // otherwise.
  bool comes_in_stream_order() const { return in_stream_order_.load(std::memory_order_relaxed); }
  void comes_out_of_stream_order() { in_stream_order_.store(false, std::memory_order_relaxed); }

  static const std::shared_ptr<Event>& already_set();

 private:
  friend class Slots;
  enum State : std::uint32_t { pending, coming, came };

  void settle(std::exception_ptr error);
  virtual void waited() const {}  // a host thread waited for it

  std::atomic<std::uint32_t> state_ = pending;
  std::atomic<bool> in_stream_order_ = true;
  std::atomic<Slots*> abandoned_ = nullptr;  // of the blocks whose bytes come with it: see Slots::abandon
  std::exception_ptr error_;
  std::uint64_t came_ns_ = 0;
};

}  // namespace weft::runtime
