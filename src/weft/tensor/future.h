// A Future is a value that the device may still be computing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <weft/base/dtype.h>
#include <weft/runtime/read.h>

namespace weft {

namespace detail {

// Reads the only element of a tensor and converts it. The object comes from a pool, so neither of the threads involved
// allocates from the heap.
class ReadItem final : public runtime::Read {
 public:
  static constexpr std::size_t most_bytes = 16;

  ReadItem(DType from, DType as);

  // Valid only when the read is ready.
  const std::byte* value() const { return value_.data(); }
  std::uint64_t made_ns() const { return std::max(asked_ns_, Read::made_ns()); }

 private:
  void take(std::span<const std::byte> bytes) override;

  DType from_, as_;
  alignas(std::max_align_t) std::array<std::byte, most_bytes> value_{};
  const std::uint64_t asked_ns_;  // time of the request; the tensor may be older
};

}  // namespace detail

template <class T>
class Future {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= detail::ReadItem::most_bytes);

 public:
  Future() = default;
  explicit Future(std::shared_ptr<detail::ReadItem> item) : item_(std::move(item)) {}

  bool valid() const { return item_ != nullptr; }
  bool ready() const { return item_->ready(); }
  void wait() const { item_->wait(); }
  // Blocks until the value is ready; rethrows the error of the launch that should have computed it.
  T get() const {
    item_->wait();
    T value;
    std::memcpy(&value, item_->value(), sizeof value);
    return value;
  }
  // Blocks until the value is ready and returns when the device had computed it (not before the request), in
  // nanoseconds of std::chrono::steady_clock. The result does not depend on when this function is called.
  std::uint64_t made_ns() const {
    item_->wait();
    return item_->made_ns();
  }

 private:
  std::shared_ptr<detail::ReadItem> item_;
};

}  // namespace weft
