// A Buffer holds a tensor's bytes on a device. It is promised first, and its bytes are there later. It has its logical id from
// the moment it is promised, so everything except reading can be done before the bytes exist. Thread-safe, except for the
// members marked as the device's.
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
#include <weft/runtime/layout.h>
#include <weft/runtime/slots.h>

namespace weft::runtime {

class Buffer {
 public:
  explicit Buffer(Type type);          // promised: fulfil() provides the bytes
  Buffer(Type type, DeviceId device);  // the same for a device; it does not come in stream order
  Buffer(Type type, Memory memory, DeviceId device = {}, LayoutId layout = {});  // the bytes are there
  // Promised: the bytes come with the event of `slots`. The buffer takes over one reference to `slots`.
  Buffer(Type type, std::uint64_t id, Slots& slots, std::uint32_t slot, DeviceId device = {}, LayoutId layout = {})
      : type_(type), id_(id), slots_(slots), slot_(static_cast<std::uint8_t>(slot)), layout_(layout), device_(device) {}
  ~Buffer() {
    const State state = state_.load(std::memory_order_acquire);
    if (has_host_copy_.load(std::memory_order_relaxed)) [[unlikely]]
      drop_host_copy();
    if (state == State::whole) slots_.abandon(slot_);  // otherwise a launch has taken or will take the memory
    if (state != State::surrendered) slots_.release();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Type type() const { return type_; }
  std::uint64_t id() const { return id_; }  // unique in the process
  DeviceId device() const { return device_; }
  LayoutId layout() const { return layout_; }
  bool usable_on(DeviceId device) const { return device_ == device || device_ == DeviceId(); }
  const std::shared_ptr<Event>& event() const { return slots_.event(); }

  // Provides the promised bytes, or the error that prevents them.
  void fulfil(Memory memory);
  void fail(std::exception_ptr error) { event()->set_error(std::move(error)); }

  void wait() const { event()->wait(); }  // rethrows the error of the launch that should have made the bytes
  // Returns the tensor's elements on the host, after waiting for them. They stay valid while the buffer lives and has a holder;
  // where the host does not see them in the device's memory, or the layout does not keep their order, the buffer keeps a copy.
  // Throws Error if the bytes were donated.
  std::span<const std::byte> bytes() const;
  // Keeps the elements for bytes(), if this process does not hold all of them.
  void keep_elements(std::span<const std::byte> elements) const;

  // Counts the user handles (Tensors, and recordings that read the buffer) that can reach this buffer. When there is none, its
  // bytes may be donated to a launch that reads it.
  void add_holder() { holders_.fetch_add(1, std::memory_order_relaxed); }
  void remove_holder() { holders_.fetch_sub(1, std::memory_order_release); }
  bool held() const { return holders() > 0; }
  int holders() const { return holders_.load(std::memory_order_acquire); }
  // Sets the count where no other thread can reach the buffer, which is much cheaper for a thousand buffers.
  void set_holders(int holders) { holders_.store(holders, std::memory_order_relaxed); }

  // Returns whether a launch has taken or will take the bytes. If so, nothing may launch with the buffer or read it from now
  // on.
  bool donated() const { return state_.load(std::memory_order_acquire) != State::whole; }
  bool donate() {  // false if it was already donated
    State whole = State::whole;
    return state_.compare_exchange_strong(whole, State::donated, std::memory_order_acq_rel);
  }
  // Donates the buffer and gives up its reference to slots() as well. Only where nothing else reaches the buffer, now or later.
  void surrender() { state_.store(State::surrendered, std::memory_order_relaxed); }
  bool surrendered() const { return state_.load(std::memory_order_relaxed) == State::surrendered; }

  // Notes that a read was requested: a launch to which the bytes are donated performs that read first, unless it is done
  // already.
  void mark_read() { read_.store(true, std::memory_order_relaxed); }
  bool read() const { return read_.load(std::memory_order_relaxed); }

  // For the device only.
  Slots& slots() const { return slots_; }
  Memory& memory() const { return slots_.memory(slot_); }  // null before the event, and after donation
  // Returns whether the host sees the tensor's elements in the buffer's memory; otherwise copy() returns them.
  bool has_elements_in_place() const;
  std::vector<std::byte> copy() const;

 private:
  enum class State : std::uint8_t { whole, donated, surrendered };

  std::span<const std::byte> host_copy() const;
  void drop_host_copy();

  Type type_;
  std::uint64_t id_;
  Slots& slots_;
  std::uint8_t slot_;  // below Slots::most
  std::atomic<State> state_ = State::whole;
  std::atomic<bool> read_ = false;
  mutable std::atomic<bool> has_host_copy_ = false;
  LayoutId layout_;
  DeviceId device_;
  std::atomic<int> holders_ = 0;
};
static_assert(sizeof(Buffer) == 40, "the members are ordered so that thousands of buffers take little memory");
using BufferPtr = std::shared_ptr<Buffer>;

// A promise of several buffers that come with one event: the outputs of a launch.
class Promise {
 public:
  // Promises `count` buffers, which next() makes one at a time.
  Promise(std::shared_ptr<Event> event, std::size_t count, DeviceId device);
  ~Promise();
  Promise(const Promise&) = delete;
  Promise& operator=(const Promise&) = delete;

  BufferPtr next(Type type, LayoutId layout = {});

 private:
  void begin_block();

  std::shared_ptr<Event> event_;
  std::size_t left_;  // the number of buffers beyond those of the current block
  DeviceId device_;
  std::uint64_t id_;
  Slots* block_ = nullptr;
  std::uint32_t slot_ = 0, block_size_ = 0;
};

}  // namespace weft::runtime
