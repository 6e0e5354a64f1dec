#include <weft/runtime/buffer.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include <weft/base/error.h>
#include <weft/runtime/node_pool.h>

namespace weft::runtime {

namespace {

// Host copies of buffers whose elements the host does not see in place. They are kept outside of Buffer, so that other buffers are no
// larger because of them.
class HostCopies {
 public:
  static HostCopies& instance() {
    static auto* const copies = new HostCopies;  // never destroyed: buffers may be read until the process ends
    return *copies;
  }

  // Returns the copy of a buffer, which `make` makes at the first request.
  template <class Make>
  std::span<const std::byte> get(std::uint64_t buffer, Make&& make) {
    const std::lock_guard lock(mutex_);
    const auto [at, first] = copies_.try_emplace(buffer);
    if (first) at->second = make();
    return at->second;
  }
  void drop(std::uint64_t buffer) {
    const std::lock_guard lock(mutex_);
    copies_.erase(buffer);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::vector<std::byte>> copies_;
};

// Returns the first of `count` consecutive ids that nothing else gets.
std::uint64_t new_ids(std::size_t count) {
  static std::atomic<std::uint64_t> next = 1;
  return next.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace

Buffer::Buffer(Type type) : Buffer(type, new_ids(1), *Slots::make(std::make_shared<Event>(), 1), 0) {}

Buffer::Buffer(Type type, DeviceId device)
    : Buffer(type, new_ids(1), *Slots::make(std::make_shared<Event>(), 1), 0, device) {
  event()->comes_out_of_stream_order();
}

Buffer::Buffer(Type type, Memory memory, DeviceId device, LayoutId layout)
    : Buffer(type, new_ids(1), *Slots::make(Event::already_set(), 1), 0, device, layout) {
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
  if (!has_elements_in_place()) return host_copy();
  return {memory().device_address(), static_cast<std::size_t>(type_.bytes())};
}

bool Buffer::has_elements_in_place() const {
  return device_.memory_space().is_host_visible() && (!layout_ || layout_->keeps_order());
}

std::vector<std::byte> Buffer::copy() const {
  std::vector<std::byte> held(layout_.bytes(type_));
  device_.memory_space().copy_to_host(held.data(), memory().device_address(), held.size());
  if (!layout_) return held;
  std::vector<std::byte> elements(type_.bytes());
  layout_->assemble(type_, held.data(), elements.data());
  return elements;
}

std::span<const std::byte> Buffer::host_copy() const {
  const auto copy = HostCopies::instance().get(id_, [this] { return this->copy(); });
  has_host_copy_.store(true, std::memory_order_relaxed);
  return copy;
}

void Buffer::keep_elements(std::span<const std::byte> elements) const {
  HostCopies::instance().get(id_, [&] { return std::vector<std::byte>(elements.begin(), elements.end()); });
  has_host_copy_.store(true, std::memory_order_relaxed);
}

void Buffer::drop_host_copy() { HostCopies::instance().drop(id_); }

Promise::Promise(std::shared_ptr<Event> event, std::size_t count, DeviceId device)
    : event_(std::move(event)), left_(count), device_(device), id_(new_ids(count)) {}

Promise::~Promise() {
  if (slot_ != block_size_) block_->release(block_size_ - slot_);
}

BufferPtr Promise::next(Type type, LayoutId layout) {
  if (slot_ == block_size_) begin_block();
  BufferPtr buffer = make_pooled<Buffer>(type, id_, *block_, slot_, device_, layout);
  ++slot_, ++id_;
  return buffer;
}

void Promise::begin_block() {
  const std::uint32_t size = std::min<std::size_t>(left_, Slots::most);
  block_ = Slots::make(event_, size);
  block_size_ = size;
  slot_ = 0;
  left_ -= size;
}

}  // namespace weft::runtime
