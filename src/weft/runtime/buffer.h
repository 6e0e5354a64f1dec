// A Buffer is a tensor's bytes on a device: promised first, there later. It has its logical id from the moment it is promised,
// so everything but reading can be done before the bytes exist. Thread-safe, but for what is marked as the device's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <weft/base/type.h>
#include <weft/runtime/device_id.h>
#include <weft/runtime/event.h>
#include <weft/runtime/slots.h>

namespace weft::runtime {

class Buffer {
 public:
  explicit Buffer(Type type);                              // promised: bytes come with fulfil()
  Buffer(Type type, DeviceId device);                      // the same, of a device: not in the order of its launches
  Buffer(Type type, Memory memory, DeviceId device = {});  // there
  // Promised: bytes come with the event of `slots`, of whose references it takes one.
  Buffer(Type type, std::uint64_t id, Slots& slots, std::uint32_t slot, DeviceId device = {})
      : type_(type), id_(id), slots_(slots), slot_(slot), device_(device) {}
  ~Buffer() {
    const State state = state_.load(std::memory_order_acquire);
    if (has_host_copy_.load(std::memory_order_relaxed)) [[unlikely]]
      drop_host_copy();
    if (state == State::whole) slots_.abandon(slot_);  // else a launch has taken or will take the memory
    if (state != State::surrendered) slots_.release();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Type type() const { return type_; }
  std::uint64_t id() const { return id_; }  // unique in the process
  DeviceId device() const { return device_; }
  bool usable_on(DeviceId device) const { return device_ == device || device_ == DeviceId(); }
  const std::shared_ptr<Event>& event() const { return slots_.event(); }

  // Keeps the promise, or says why it is broken.
  void fulfil(Memory memory);
  void fail(std::exception_ptr error) { event()->set_error(std::move(error)); }

  void wait() const { event()->wait(); }  // rethrows the error of the launch that should have made it
  // The bytes, on the host; waits for them. They stay while the buffer lives and has a holder: where the host does not see the
  // device's memory the buffer keeps a copy. Throws Error when they were donated.
  std::span<const std::byte> bytes() const;

  // How many user handles (Tensors, and recordings that read it) can reach it. At zero its bytes may be donated to a launch that
  // reads it.
  void add_holder() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void remove_holder() { holders_.fetch_sub(1, std::memory_order_release); }
  bool held() const { return holders() > 0; }
  int holders() const { return holders_.load(std::memory_order_acquire); }
  // The same, where no other thread can reach the buffer: cheaper by far when there are a thousand.
  void set_holders(int holders) { holders_.store(holders, std::memory_order_relaxed); }

  // A launch has taken or will take its bytes: nothing launched or read from now on may ask for them.
  bool donated() const { return state_.load(std::memory_order_acquire) != State::whole; }
  bool donate() {  // false: it was donated before
    State whole = State::whole;
    return state_.compare_exchange_strong(whole, State::donated, std::memory_order_acq_rel);
  }
  // Donates it, and gives up its reference to slots() too. Only where nothing else reaches the buffer, now or later.
  void surrender() { state_.store(State::surrendered, std::memory_order_relaxed); }
  bool surrendered() const { return state_.load(std::memory_order_relaxed) == State::surrendered; }

  // A read was asked for: a launch that its bytes are donated to does that first, if nobody has.
  void mark_read() { read_.store(true, std::memory_order_relaxed); }
  bool read() const { return read_.load(std::memory_order_relaxed); }

  // For the device.
  Slots& slots() const { return slots_; }
  Memory& memory() const { return slots_.memory(slot_); }  // null before the event, and after it was donated

 private:
  enum class State : std::uint8_t { whole, donated, surrendered };

  std::span<const std::byte> host_copy() const;
  void drop_host_copy();

  Type type_;
  std::uint64_t id_;
  Slots& slots_;
  std::uint32_t slot_;
  DeviceId device_;
  std::atomic<int> holders_ = 0;
  std::atomic<State> state_ = State::whole;
  std::atomic<bool> read_ = false;
  mutable std::atomic<bool> has_host_copy_ = false;
};
using BufferPtr = std::shared_ptr<Buffer>;

// Buffers that are promised with one event: the outputs of a launch.
class Promise {
 public:
  // Makes `count` of them, one at a time.
  Promise(std::shared_ptr<Event> event, std::size_t count, DeviceId device);
  ~Promise();
  Promise(const Promise&) = delete;
  Promise& operator=(const Promise&) = delete;

  BufferPtr next(Type type);

 private:
  void begin_block();

  std::shared_ptr<Event> event_;
  std::size_t left_;  // beside those of the block
  DeviceId device_;
  std::uint64_t id_;
  Slots* block_ = nullptr;
  std::uint32_t slot_ = 0, block_size_ = 0;
};

}  // namespace weft::runtime
