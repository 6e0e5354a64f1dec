// A read of a buffer that was asked for and is done by the device, once the bytes are there.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <weft/runtime/buffer.h>
#include <weft/runtime/event.h>

namespace weft::runtime {

// Whoever wants the bytes derives from it and hands it to Device::read, once. Waiting is thread-safe.
class Read {
 public:
  Read() = default;
  virtual ~Read() = default;
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;

  bool ready() const { return done_.ready(); }
  // Until take() has returned. Rethrows what it threw, or the error of the launch that should have made the buffer.
  void wait() const { done_.wait(); }

 private:
  friend class Device;
  friend class Queue;
  virtual void take(std::span<const std::byte> bytes) = 0;  // on the device's thread

  BufferPtr buffer_;  // until then
  Event done_;
};
using ReadPtr = std::shared_ptr<Read>;

}  // namespace weft::runtime
