// A point in time that is waited for. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

namespace weft::runtime {

// It comes with success or with the error of the launch that failed. The first outcome wins.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event() = default;

  bool ready() const { return ready_.load(std::memory_order_acquire); }
  bool succeeded() const { return ready() && !error_; }
  void wait() const;                 // returns when it has come; rethrows the error
  std::exception_ptr error() const;  // waits; null after success
  void set() { settle(nullptr); }
  void set_error(std::exception_ptr error) { settle(std::move(error)); }

  static const std::shared_ptr<Event>& already_set();

 private:
  void settle(std::exception_ptr error);
  virtual void waited() const {}  // a host thread waited for it

  std::atomic<bool> ready_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::exception_ptr error_;
};

}  // namespace weft::runtime
