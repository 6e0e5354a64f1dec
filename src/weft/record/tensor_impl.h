// The state of one tensor, and shared ownership of it. A Tensor (tensor/tensor.h) is a handle to it.
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

// A value of a recording (`recording` and `value`), or a buffer, promised or there. A recorded tensor belongs to the thread of
// its recording; a tensor with a buffer may be used and dropped by any thread. The members that a sync reads to collect its
// outputs share a cache line, because there may be a thousand tensors that have not been touched for long.
struct alignas(64) TensorImpl {
  explicit TensorImpl(Type of) : type(of) {}
  explicit TensorImpl(runtime::BufferPtr from) : type(from->type()) { set_buffer(std::move(from)); }
  ~TensorImpl();
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  // Every operation drops handles, and in large units GCC would call this.
  [[gnu::always_inline]] void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(this);
  }
  void set_buffer(runtime::BufferPtr to) {
    buffer = std::move(to);
    buffer->add_holder();
    take_layout();
    cut = false;
  }
  // Does the same for a buffer that nothing else can reach.
  void set_first_buffer(runtime::BufferPtr to) {
    buffer = std::move(to);
    buffer->set_holders(1);
    take_layout();
    cut = false;
  }
  void let_go_of_buffer() {
    buffer->remove_holder();
    buffer = nullptr;
  }
  // Identifies the tensor: others may have the same buffer and, later, this address. A tensor that stands for another takes
  // over its identity.
  std::uint64_t identity() const {
    const std::uint64_t known = identity_.load(std::memory_order_relaxed);
    return known != 0 ? known : give_identity();
  }
  void stands_for(const TensorImpl& other) { identity_.store(other.identity(), std::memory_order_relaxed); }
  // Makes a tensor that takes the place of `other` have its layout, unless it is on a mesh already.
  void takes_layout_of(const TensorImpl& other) {
    if (!buffer || !buffer->layout()) layout = other.layout;
  }
  void becomes_state() { is_state.store(true, std::memory_order_relaxed); }

  TensorImpl *previous = nullptr, *next = nullptr;  // in the ring of the recording's live tensors
  ir::Value value;
  std::uint32_t node_id = 0;           // id of the value's node
  bool is_input = false;               // the value is an input of the recording
  bool cut = false;                    // launched by an automatic sync
  std::atomic<bool> is_state = false;  // a Parameter has or had it
  Recording* recording = nullptr;
  std::atomic<std::uint32_t> references = 1;
  runtime::LayoutId layout;  // of the buffer, or the one that the tensor is to have
  Type type;

  runtime::BufferPtr buffer;
  Origin origin;  // the value that it was before a read launched it
  // Which input of which recording the buffer became: see stamp_of in recording.cpp.
  std::atomic<std::uint64_t> stamp = 0;

 private:
  void take_layout() {
    if (buffer->layout()) [[unlikely]]
      layout = buffer->layout();
  }
  static void destroy(TensorImpl* impl);
  std::uint64_t give_identity() const;

  mutable std::atomic<std::uint64_t> identity_ = 0;  // 0: not given yet
};

// Owns a share of a TensorImpl, or nothing.
class TensorPtr {
 public:
  TensorPtr() = default;
  // Takes over one reference that the caller holds.
  explicit TensorPtr(TensorImpl* owned) noexcept : impl_(owned) {}
  static TensorPtr sharing(TensorImpl& impl) {
    impl.retain();
    return TensorPtr(&impl);
  }
  // Makes a new tensor with the elements of `buffer`.
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
