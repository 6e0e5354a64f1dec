// A point in time for which threads can wait. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace weft::runtime {

class Slots;

// An event comes with success or with the error of the launch that failed. The first outcome wins. An event is small and has no
// lock: if nobody waits, setting it costs the device one cache line between two launches.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event();

  bool ready() const { return state_.load(std::memory_order_acquire) == came; }
  bool succeeded() const { return ready() && !error_; }
  void wait() const;                                  // returns when the event has come; rethrows its error
  std::exception_ptr error() const;                   // waits; returns null after success
  std::uint64_t came_ns() const { return came_ns_; }  // in the time of trace::now_ns; valid once ready
  // Calls `callback` with the error or null when the event has come. A thread for callbacks runs them one after the other, so
  // that a slow one delays neither the device nor the calling thread; a callback may wait, read and launch. An event that is
  // destroyed before it has come drops its callbacks.
  void then(std::function<void(std::exception_ptr error)> callback);
  void set() { settle(nullptr); }
  void set_error(std::exception_ptr error) { settle(std::move(error)); }

  // Returns whether the event comes in the order of launches on its device's compute stream. It does unless
  // comes_out_of_stream_order() was called.
  bool comes_in_stream_order() const { return in_stream_order_.load(std::memory_order_relaxed); }
  void comes_out_of_stream_order() { in_stream_order_.store(false, std::memory_order_relaxed); }

  static const std::shared_ptr<Event>& already_set();

 private:
  friend class Slots;
  struct Callback {
    std::function<void(std::exception_ptr)> function;
    Callback* next;
  };
  enum State : std::uint32_t { pending, coming, came };

  void settle(std::exception_ptr error);
  static void call_back(Callback* last, const std::exception_ptr& error);
  // Marks the callback list of an event that has come.
  static Callback* closed() { return reinterpret_cast<Callback*>(&closed_mark); }
  alignas(Callback) static constinit inline std::byte closed_mark{};
  virtual void waited() const {}  // called when a host thread has waited for the event

  std::atomic<std::uint32_t> state_ = pending;
  std::atomic<bool> in_stream_order_ = true;
  std::atomic<Slots*> abandoned_ = nullptr;     // blocks of slots whose bytes come with this event: see Slots::abandon
  std::atomic<Callback*> callbacks_ = nullptr;  // a list, the last one added first
  std::exception_ptr error_;
  std::uint64_t came_ns_ = 0;
};

}  // namespace weft::runtime
