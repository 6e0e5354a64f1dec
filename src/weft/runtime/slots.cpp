#include <weft/runtime/slots.h>

#include <bit>
#include <new>

#include <weft/runtime/node_pool.h>

namespace weft::runtime {

namespace {

constexpr std::size_t size_of(std::uint32_t count) { return sizeof(Slots) + count * sizeof(Memory); }

// Makes the slots behind a block. They are made only once: they are empty whenever a block ends, so the next block can use them
// as they are.
template <std::uint32_t Count>
void make_slots(void* block) {
  auto* const slots = reinterpret_cast<Memory*>(static_cast<std::byte*>(block) + sizeof(Slots));
  for (std::uint32_t i = 0; i < Count; ++i) new (slots + i) Memory;
}

using One = NodePool<size_of(1), make_slots<1>>;
using Many = NodePool<size_of(Slots::most), make_slots<Slots::most>>;

}  // namespace

Slots* Slots::make(std::shared_ptr<Event> event, std::uint32_t count) {
  static_assert(sizeof(Slots) % alignof(Memory) == 0);
#if defined(__SANITIZE_ADDRESS__)
  void* const at = ::operator new(size_of(most));  // lets AddressSanitizer see every use after the end
  make_slots<most>(at);
#else
  void* const at = count == 1 ? One::take() : Many::take();
#endif
  return new (at) Slots(std::move(event), count);
}

Slots::Slots(std::shared_ptr<Event> event, std::uint32_t count)
    : references_(count), count_(count), event_(std::move(event)) {}

void Slots::destroy() {
  if (may_keep_memory_.load(std::memory_order_relaxed)) {
    for (std::uint32_t i = 0; i < count_; ++i) memory(i) = nullptr;
  }
  [[maybe_unused]] const bool one = count_ == 1;
  this->~Slots();
#if defined(__SANITIZE_ADDRESS__)
  ::operator delete(this);
#else
  one ? One::give(this) : Many::give(this);
#endif
}

// The thread that abandons the first slot of a block puts the block into the event's list. If the list has been settled
// meanwhile, nobody else looks at the block any more, so the same thread releases the slots.
void Slots::abandon_unsettled(std::uint32_t slot) {
  if (abandoned_slots_.fetch_or(std::uint32_t{1} << slot, std::memory_order_acq_rel) != 0) return;
  Slots* head = event_->abandoned_.load(std::memory_order_acquire);
  do {
    if (head == settled()) {
      let_go_of_abandoned();
      return;
    }
    next_ = head;
  } while (!event_->abandoned_.compare_exchange_weak(head, this, std::memory_order_acq_rel, std::memory_order_acquire));
}

void Slots::let_go_of_abandoned() {
  auto slots = abandoned_slots_.exchange(0, std::memory_order_acq_rel);
  for (; slots != 0; slots &= slots - 1) memory(std::countr_zero(slots)) = nullptr;
}

void Slots::settle(Event& event) {
  Slots* block = event.abandoned_.exchange(settled(), std::memory_order_acq_rel);
  while (block && block != settled()) {
    Slots* const next = block->next_;
    block->let_go_of_abandoned();
    block = next;
  }
}

}  // namespace weft::runtime
