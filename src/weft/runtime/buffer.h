// A Buffer is a tensor's bytes on a device: promised first, there later. It has its logical id from the moment it is promised,
// so everything but reading can be done before the bytes exist. Thread-safe, but for what is marked as the executor's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include <weft/base/type.h>

namespace weft::runtime {

// A point in time that is waited for: it comes with success or with the error of the launch that failed. The first outcome wins.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event() = default;

  bool ready() const { return ready_.load(std::memory_order_acquire); }
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

// Memory of a device, given back to its allocator when the last owner lets go.
using Memory = std::shared_ptr<std::byte>;

class Buffer {
 public:
  explicit Buffer(Type type) : Buffer(type, std::make_shared<Event>()) {}  // promised: bytes come with fulfil()
  Buffer(Type type, std::shared_ptr<Event> event);  // promised: bytes come with set_memory() and the event
  Buffer(Type type, Memory memory);                 // there

  Type type() const { return type_; }
  std::uint64_t id() const { return id_; }  // unique in the process
  const std::shared_ptr<Event>& event() const { return event_; }

  // Keeps the promise, or says why it is broken.
  void fulfil(Memory memory);
  void fail(std::exception_ptr error) { event_->set_error(std::move(error)); }

  void wait() const { event_->wait(); }  // rethrows the error of the launch that should have made it
  // The bytes; waits for them. They stay while the buffer lives and has a holder. Throws Error when they were donated.
  std::span<const std::byte> bytes() const;

  // How many user handles (Tensors, and recordings that read it) can reach it. At zero its bytes may be donated to a launch that reads it.
  void add_holder() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void remove_holder() { holders_.fetch_sub(1, std::memory_order_release); }
  bool held() const { return holders() > 0; }
  int holders() const { return holders_.load(std::memory_order_acquire); }

  // A launch has taken or will take its bytes: nothing launched or read from now on may ask for them.
  bool donated() const { return donated_.load(std::memory_order_acquire); }
  bool donate() { return !donated_.exchange(true, std::memory_order_acq_rel); }  // false: it was donated before

  // For the executor. Memory is set before the event and taken when donated.
  void set_memory(Memory memory) { memory_ = std::move(memory); }
  const Memory& memory() const { return memory_; }
  Memory take_memory() { return std::exchange(memory_, nullptr); }

 private:
  Type type_;
  std::uint64_t id_;
  std::shared_ptr<Event> event_;
  Memory memory_;
  std::atomic<int> holders_ = 0;
  std::atomic<bool> donated_ = false;
};
using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace weft::runtime
