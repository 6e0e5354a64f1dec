// A read of a buffer that was asked for and is done once the bytes are there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <weft/runtime/buffer.h>
#include <weft/runtime/event.h>

namespace weft::runtime {

// Whoever wants the bytes derives from it and hands it to Device::read, once. It is done by whoever needs it first: the thread that
// asks for it, the host with a later launch, or the device before a launch that overwrites the bytes, and when it has nothing to
// run. Asking and waiting are thread-safe.
class Read {
 public:
  Read() = default;
  virtual ~Read() = default;
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;

  bool ready();  // does it, if the bytes are there
  // Until take() has returned. Rethrows what it threw, or the error of the launch that should have made the buffer.
  void wait();
  // When the bytes were there, in the time of trace::now_ns; once ready.
  std::uint64_t made_ns() const { return source_->came_ns(); }

 private:
  friend class Device;
  friend class Queue;

  virtual void take(std::span<const std::byte> bytes) = 0;

  void begin(const BufferPtr& buffer);
  bool due() const { return source_->ready(); }
  void perform();  // waits for the bytes; returns at once where another thread does it

  const Buffer* of_ = nullptr;
  std::shared_ptr<Event> source_;  // of the buffer
  BufferPtr buffer_;               // until it is done
  std::atomic<bool> taken_ = false;
  Event done_;
};
using ReadPtr = std::shared_ptr<Read>;

}  // namespace weft::runtime
