#include <weft/runtime/slots.h>

#include <bit>
#include <new>

#include <weft/runtime/node_pool.h>

namespace weft::runtime {

namespace {

constexpr std::size_t size_of(std::uint32_t count) { return sizeof(Slots) + count * sizeof(Memory); }
using One = NodePool<size_of(1), alignof(Slots)>;
using Many = NodePool<size_of(Slots::most), alignof(Slots)>;

}  // namespace

Slots* Slots::make(std::shared_ptr<Event> event, std::uint32_t count) {
  static_assert(sizeof(Slots) % alignof(Memory) == 0);
#if defined(__SANITIZE_ADDRESS__)
  void* const at = ::operator new(size_of(count));  // so that every use after the end is seen
#else
  void* const at = count == 1 ? One::take() : Many::take();
#endif
  return new (at) Slots(std::move(event), count);
}

Slots::Slots(std::shared_ptr<Event> event, std::uint32_t count)
    : references_(count), count_(count), event_(std::move(event)) {
  for (std::uint32_t i = 0; i < count; ++i) new (&memory(i)) Memory;
}

Slots::~Slots() {
  for (std::uint32_t i = 0; i < count_; ++i) std::destroy_at(&memory(i));
}

void Slots::destroy() {
  [[maybe_unused]] const bool one = count_ == 1;
  this->~Slots();
#if defined(__SANITIZE_ADDRESS__)
  ::operator delete(this);
#else
  one ? One::give(this) : Many::give(this);
#endif
}

void Slots::settle() {
  auto abandoned = static_cast<std::uint32_t>(state_.fetch_or(settled, std::memory_order_acq_rel));
  for (; abandoned != 0; abandoned &= abandoned - 1)
    memory(static_cast<std::uint32_t>(std::countr_zero(abandoned))) = nullptr;
}

}  // namespace weft::runtime
