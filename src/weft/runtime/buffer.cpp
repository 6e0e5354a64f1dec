#include <weft/runtime/buffer.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/runtime/node_pool.h>

namespace weft::runtime {

namespace {

// The first of so many that nothing else gets.
std::uint64_t new_ids(std::size_t count) {
  static std::atomic<std::uint64_t> next = 1;
  return next.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace

Buffer::Buffer(Type type) : Buffer(type, new_ids(1), *Slots::make(std::make_shared<Event>(), 1), 0) {}

Buffer::Buffer(Type type, Memory memory, DeviceId device)
    : Buffer(type, new_ids(1), *Slots::make(Event::already_set(), 1), 0, device) {
  this->memory() = std::move(memory);
}

void Buffer::fulfil(Memory memory) {
  this->memory() = std::move(memory);
  Slots::settle(*event());
  event()->set();
}

std::span<const std::byte> Buffer::bytes() const {
  wait();
  require(memory() != nullptr, "bytes: the buffer ", type_, " was donated to a launch");
  return {memory().get(), static_cast<std::size_t>(type_.bytes())};
}

Promise::Promise(std::shared_ptr<Event> event, std::size_t count, DeviceId device)
    : event_(std::move(event)), left_(count), device_(device), id_(new_ids(count)) {}

Promise::~Promise() {
  if (slot_ != block_size_) block_->release(block_size_ - slot_);
}

BufferPtr Promise::next(Type type) {
  if (slot_ == block_size_) begin_block();
  BufferPtr buffer = make_pooled<Buffer>(type, id_, *block_, slot_, device_);
  ++slot_, ++id_;
  return buffer;
}

void Promise::begin_block() {
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(left_, Slots::most));
  block_ = Slots::make(event_, size);
  block_size_ = size;
  slot_ = 0;
  left_ -= size;
}

}  // namespace weft::runtime
