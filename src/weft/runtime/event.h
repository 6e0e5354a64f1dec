// A point in time that is waited for. Thread-safe.
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

// It comes with success or with the error of the launch that failed. The first outcome wins. Small, and without a lock: when it
// comes and nobody waits, that costs the device one line of memory between two launches.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event();

  bool ready() const { return state_.load(std::memory_order_acquire) == came; }
  bool succeeded() const { return ready() && !error_; }
  void wait() const;                                  // returns when it has come; rethrows the error
  std::exception_ptr error() const;                   // waits; null after success
  std::uint64_t came_ns() const { return came_ns_; }  // in the time of trace::now_ns; once ready
  // Has `callback` called when the event has come, with its error or null: on a thread for callbacks, one after the other, so that
  // one which takes its time holds back neither the device nor the calling thread. It may wait, read and launch. An event that ends
  // before it has come drops its callbacks.
  void then(std::function<void(std::exception_ptr error)> callback);
  void set() { settle(nullptr); }
  void set_error(std::exception_ptr error) { settle(std::move(error)); }

  // Whether it comes in the order of launches on its device's compute stream, as those of launches do unless somebody says
  // otherwise.
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
  // In place of the callbacks of an event that has come.
  static Callback* closed() { return reinterpret_cast<Callback*>(&closed_mark); }
  alignas(Callback) static constinit inline std::byte closed_mark{};
  virtual void waited() const {}  // a host thread waited for it

  std::atomic<std::uint32_t> state_ = pending;
  std::atomic<bool> in_stream_order_ = true;
  std::atomic<Slots*> abandoned_ = nullptr;     // of the blocks whose bytes come with it: see Slots::abandon
  std::atomic<Callback*> callbacks_ = nullptr;  // the last first
  std::exception_ptr error_;
  std::uint64_t came_ns_ = 0;
};

}  // namespace weft::runtime
