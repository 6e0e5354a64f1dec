// The state of one tensor, and shared ownership of it: what a Tensor (tensor/tensor.h) is a handle to.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <weft/base/type.h>
#include <weft/ir/value.h>
#include <weft/record/origin.h>
#include <weft/runtime/buffer.h>

namespace weft::record {

class Recording;

// A value of a recording (`recording` and `value`), or a buffer, promised or there. A recorded one belongs to the thread of its
// recording; one with a buffer may be used and dropped by any thread. What a sync looks at to collect its outputs is in one line of the
// cache: there may be a thousand, and it is long ago that they were touched.
struct alignas(64) TensorImpl {
  explicit TensorImpl(Type of) : type(of) {}
  explicit TensorImpl(runtime::BufferPtr from) : type(from->type()) { set_buffer(std::move(from)); }
  ~TensorImpl();
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(this);
  }
  void set_buffer(runtime::BufferPtr to) {
    buffer = std::move(to);
    buffer->add_holder();
    cut = false;
  }
  // The same with a buffer that nothing else can reach.
  void set_first_buffer(runtime::BufferPtr to) {
    buffer = std::move(to);
    buffer->set_holders(1);
    cut = false;
  }
  void let_go_of_buffer() {
    buffer->remove_holder();
    buffer = nullptr;
  }
  // Others may have the same buffer and, later, this address. One that stands for another takes over its identity.
  std::uint64_t identity() const {
    const std::uint64_t known = identity_.load(std::memory_order_relaxed);
    return known != 0 ? known : give_identity();
  }
  void stands_for(const TensorImpl& other) { identity_.store(other.identity(), std::memory_order_relaxed); }
  void becomes_state() { is_state.store(true, std::memory_order_relaxed); }

  TensorImpl *previous = nullptr, *next = nullptr;  // among the live tensors of the recording
  ir::Value value;
  std::uint32_t node_id = 0;  // of the value
  bool is_input = false;      // of the recording: what the value is
  Recording* recording = nullptr;
  std::atomic<std::uint32_t> references = 1;
  Type type;

  runtime::BufferPtr buffer;
  bool cut = false;                      // launched by an automatic sync
  Origin origin;                         // before a read launched it
  std::atomic<bool> is_state = false;    // a Parameter has it, or had
  std::atomic<std::uint64_t> stamp = 0;  // which input of which recording the buffer became: Recording::stamp_of

 private:
  static void destroy(TensorImpl* impl);
  std::uint64_t give_identity() const;

  mutable std::atomic<std::uint64_t> identity_ = 0;  // 0: nobody asked yet
};

// Owns a share of a TensorImpl, or nothing.
class TensorPtr {
 public:
  TensorPtr() = default;
  // Takes over one reference, which the caller holds.
  explicit TensorPtr(TensorImpl* owned) noexcept : impl_(owned) {}
  static TensorPtr sharing(TensorImpl& impl) {
    impl.retain();
    return TensorPtr(&impl);
  }
  // A new tensor of these elements.
  static TensorPtr of(runtime::BufferPtr buffer);

  TensorPtr(const TensorPtr& other) noexcept : impl_(other.impl_) {
    if (impl_) impl_->retain();
  }
  TensorPtr(TensorPtr&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  TensorPtr& operator=(TensorPtr other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~TensorPtr() {
    if (impl_) impl_->release();
  }

  explicit operator bool() const { return impl_ != nullptr; }
  TensorImpl* get() const { return impl_; }
  TensorImpl& operator*() const { return *impl_; }
  TensorImpl* operator->() const { return impl_; }

 private:
  TensorImpl* impl_ = nullptr;
};

}  // namespace weft::record
