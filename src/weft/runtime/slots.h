// Where buffers have their memory: beside each other for the outputs of a launch. The device's thread fills slots, and moves memory
// from the slots of donated inputs to those of outputs; the buffers are the host's, and the device touches none of them. So the end
// of a launch costs the device the same whether it has one output or a thousand: only blocks with buffers that ended before are
// looked at.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <weft/runtime/event.h>
#include <weft/runtime/memory.h>

namespace weft::runtime {

// A block of slots, whose bytes come with one event. It lives while a buffer or a launch refers to it. Thread-safe, but for the
// memory of a slot: before settle() that is the device's, then its buffer's, and at last that of the launch which it was donated to.
// Who ends with memory in its slot lets go of it: slots are empty when their block ends, so that neither its beginning nor its end
// touches them.
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

  // The buffer of a slot has ended: nobody will ask for the bytes. They are let go of, now or as soon as they are settled; a launch
  // to come holds the block until then.
  void abandon(std::uint32_t slot) {
    if (is_settled(*event_)) {
      memory(slot) = nullptr;
    } else {
      abandon_unsettled(slot);
    }
  }
  // The memory that comes with `event` is in its slots, or will never be.
  static void settle(Event& event);
  // A launch that the block's memory was donated to may leave some of it there.
  void may_keep_memory() { may_keep_memory_.store(true, std::memory_order_relaxed); }

 private:
  Slots(std::shared_ptr<Event> event, std::uint32_t count);
  ~Slots() = default;
  void destroy();

  // In place of the list of abandoned blocks.
  static Slots* settled() { return reinterpret_cast<Slots*>(&settled_mark); }
  static bool is_settled(const Event& event) { return event.abandoned_.load(std::memory_order_acquire) == settled(); }
  void abandon_unsettled(std::uint32_t slot);
  void let_go_of_abandoned();

  alignas(8) static constinit inline std::byte settled_mark{};

  std::atomic<std::uint32_t> references_;
  const std::uint32_t count_;
  const std::shared_ptr<Event> event_;
  Slots* next_ = nullptr;  // in the event's list of blocks with abandoned slots
  std::atomic<std::uint32_t> abandoned_slots_ =
      0;  // a bit for each; the block is in the list, or will be, when there is one
  std::atomic<bool> may_keep_memory_ = false;
};

// References to a block.
class SlotsRef {
 public:
  explicit SlotsRef(Slots& slots) : SlotsRef(slots, 1) { slots.retain(); }
  // One that somebody had.
  static SlotsRef adopt(Slots& slots) { return {slots, 1}; }
  void adopt_another() { ++count_; }  // of the same block
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
