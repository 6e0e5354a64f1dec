// A Layout says how the logical devices of a mesh hold a tensor. The devices of this process share one buffer, in which their
// shards lie one after the other; what devices of other processes hold is not in it. A buffer without a layout holds the whole
// tensor, for one device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <weft/base/type.h>

namespace weft::runtime {

// Immutable, and so thread-safe.
class Layout {
 public:
  virtual ~Layout() = default;

  virtual std::uint32_t devices() const = 0;  // of this process
  // Returns the type of one device's shard. Throws Error if the sizes do not divide.
  virtual Type shard(Type whole) const = 0;
  // Writes the shards of this process's devices for the elements of a tensor.
  virtual void divide(Type whole, const std::byte* elements, std::byte* shards) const = 0;
  // Returns whether the devices of this process hold all elements.
  virtual bool holds_all() const = 0;
  // Writes the elements of a tensor for the shards of this process's devices. Throws Error if devices that should hold the same
  // elements differ, and unless holds_all().
  virtual void assemble(Type whole, const std::byte* shards, std::byte* elements) const = 0;
  // Returns whether the shards, one after the other, are the elements in their order.
  virtual bool keeps_order() const = 0;
  virtual std::string text() const = 0;  // for messages
};

// Identifies a layout of this process. Layouts are kept as long as the process, because buffers refer to them by this id.
class LayoutId {
 public:
  constexpr LayoutId() = default;  // no layout
  // Returns a new id. The caller makes one for each distinct layout, because ids are compared instead of layouts.
  static LayoutId next(std::unique_ptr<const Layout> layout);

  explicit operator bool() const { return number_ != 0; }
  const Layout& operator*() const;
  const Layout* operator->() const { return &**this; }
  std::uint32_t number() const { return number_; }  // for hashes

  // Returns how many bytes a buffer of this layout has.
  std::uint64_t bytes(Type whole) const {
    if (number_ == 0) [[likely]]
      return whole.bytes();
    return (*this)->devices() * static_cast<std::uint64_t>((*this)->shard(whole).bytes());
  }

  friend bool operator==(LayoutId, LayoutId) = default;

 private:
  explicit LayoutId(std::uint32_t number) : number_(number) {}
  std::uint32_t number_ = 0;
};

}  // namespace weft::runtime
