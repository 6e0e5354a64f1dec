// Where buffers have their memory: beside each other for the outputs of a launch. The device's thread fills slots, and moves memory
// from the slots of donated inputs to those of outputs; the buffers are the host's, and the device touches none of them. So the end
// of a launch costs the device the same whether it has one output or a thousand.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <weft/runtime/event.h>

namespace weft::runtime {

// Memory of a device, given back to its allocator when the last owner lets go.
using Memory = std::shared_ptr<std::byte>;

// A block of slots, whose bytes come with one event. It lives while a buffer or a launch refers to it. Thread-safe, but for the
// memory of a slot: before settle() that is the device's, then its buffer's, and at last that of the launch which it was donated to.
class Slots {
 public:
  static constexpr std::uint32_t most = 32;  // so that one buffer that is kept does not keep much

  // With one reference for each of `count` buffers to come.
  static Slots* make(std::shared_ptr<Event> event, std::uint32_t count);
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  const std::shared_ptr<Event>& event() const { return event_; }
  Memory& memory(std::uint32_t slot) { return reinterpret_cast<Memory*>(this + 1)[slot]; }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release(std::uint32_t count = 1) {
    if (references_.fetch_sub(count, std::memory_order_acq_rel) == count) destroy();
  }

  // The buffer of a slot has ended: nobody will ask for the bytes. They are let go of, now or as soon as they are settled.
  void abandon(std::uint32_t slot) {
    if ((state_.load(std::memory_order_acquire) & settled) == 0 &&
        (state_.fetch_or(std::uint64_t{1} << slot, std::memory_order_acq_rel) & settled) == 0)
      return;
    memory(slot) = nullptr;
  }
  // The memory is in the slots, or will never be.
  void settle();

 private:
  static constexpr std::uint64_t settled = std::uint64_t{1} << most;  // above a bit for each abandoned slot

  Slots(std::shared_ptr<Event> event, std::uint32_t count);
  ~Slots();
  void destroy();

  std::atomic<std::uint32_t> references_;
  const std::uint32_t count_;
  std::atomic<std::uint64_t> state_ = 0;
  const std::shared_ptr<Event> event_;
};

// A reference to a block.
class SlotsRef {
 public:
  explicit SlotsRef(Slots& slots) : slots_(&slots) { slots.retain(); }
  SlotsRef(SlotsRef&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
  SlotsRef& operator=(SlotsRef&& other) noexcept {
    std::swap(slots_, other.slots_);
    return *this;
  }
  ~SlotsRef() {
    if (slots_) slots_->release();
  }

  Slots* operator->() const { return slots_; }
  Slots* get() const { return slots_; }

 private:
  Slots* slots_;
};

}  // namespace weft::runtime
