// Slots hold the memory of buffers; those of the outputs of a launch are adjacent. The device's thread fills slots, and moves
// memory from the slots of donated inputs to those of outputs; it touches no buffers, which belong to the host. So the end of a
// launch costs the device the same for one output and for a thousand: it looks only at blocks with buffers that ended before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <weft/runtime/event.h>
#include <weft/runtime/memory.h>

namespace weft::runtime {

// A block of slots whose bytes come with one event. It lives while a buffer or a launch refers to it. Thread-safe, except for
// the memory of a slot: before settle() it belongs to the device, then to its buffer, and at last to the launch to which it was
// donated. Each owner that ends with memory in its slot releases it, so all slots are empty when their block ends, and neither
// creating nor destroying a block touches them.
class Slots {
 public:
  static constexpr std::uint32_t most = 32;  // few, so that one buffer that is kept does not keep much memory alive

  // Makes a block with one reference for each of `count` future buffers.
  static Slots* make(std::shared_ptr<Event> event, std::uint32_t count);
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  const std::shared_ptr<Event>& event() const { return event_; }
  Memory& memory(std::uint32_t slot) { return reinterpret_cast<Memory*>(this + 1)[slot]; }

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release(std::uint32_t count = 1) {
    if (references_.fetch_sub(count, std::memory_order_acq_rel) == count) destroy();
  }

  // Tells that the buffer of a slot has ended: nobody will ask for the bytes. Their memory is released now, or as soon as it is
  // settled; the launch that fills the slots holds the block until then.
  void abandon(std::uint32_t slot) {
    if (is_settled(*event_)) {
      memory(slot) = nullptr;
    } else {
      abandon_unsettled(slot);
    }
  }
  // Tells that the memory that comes with `event` is in its slots, or will never be.
  static void settle(Event& event);
  // Tells that a launch to which the block's memory was donated may leave some of it there.
  void may_keep_memory() { may_keep_memory_.store(true, std::memory_order_relaxed); }

 private:
  Slots(std::shared_ptr<Event> event, std::uint32_t count);
  ~Slots() = default;
  void destroy();

  // Marks the list of abandoned blocks of an event whose memory is settled.
  static Slots* settled() { return reinterpret_cast<Slots*>(&settled_mark); }
  static bool is_settled(const Event& event) { return event.abandoned_.load(std::memory_order_acquire) == settled(); }
  void abandon_unsettled(std::uint32_t slot);
  void let_go_of_abandoned();

  alignas(8) static constinit inline std::byte settled_mark{};

  std::atomic<std::uint32_t> references_;
  const std::uint32_t count_;
  const std::shared_ptr<Event> event_;
  Slots* next_ = nullptr;  // the next block in the event's list of blocks with abandoned slots

  // One bit per slot. The block is, or is about to be, in the event's list if any bit is set.
  std::atomic<std::uint32_t> abandoned_slots_ = 0;
  std::atomic<bool> may_keep_memory_ = false;
};

// References to a block.
class SlotsRef {
 public:
  explicit SlotsRef(Slots& slots) : SlotsRef(slots, 1) { slots.retain(); }
  // Takes over an existing reference.
  static SlotsRef adopt(Slots& slots) { return {slots, 1}; }
  void adopt_another() { ++count_; }  // takes over another reference to the same block
  SlotsRef(SlotsRef&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)), count_(other.count_) {}
  SlotsRef& operator=(SlotsRef&& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~SlotsRef() {
    if (slots_) slots_->release(count_);
  }

  Slots* operator->() const { return slots_; }
  Slots* get() const { return slots_; }

 private:
  SlotsRef(Slots& slots, std::uint32_t count) : slots_(&slots), count_(count) {}

  Slots* slots_;
  std::uint32_t count_;
};

}  // namespace weft::runtime
