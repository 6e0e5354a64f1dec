// A requested read of a buffer, performed once the bytes are there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <weft/runtime/buffer.h>
#include <weft/runtime/event.h>

namespace weft::runtime {

// To read bytes, derive from this class and pass the object to Device::read, once. The read is performed by whichever comes
// first: the thread that asks for it, the host with a later launch, the device before a launch that overwrites the bytes, or
// the device when it has nothing to run. Requesting and waiting are thread-safe.
class Read {
 public:
  Read() = default;
  virtual ~Read() = default;
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;

  bool ready();  // performs the read if the bytes are there
  // Waits until take() has returned. Rethrows what take() threw, or the error of the launch that should have made the buffer.
  void wait();
  // Returns when the bytes were there, in the time of trace::now_ns; valid once ready.
  std::uint64_t made_ns() const { return source_->came_ns(); }

 private:
  friend class Device;
  friend class Queue;

  virtual void take(std::span<const std::byte> bytes) = 0;

  void begin(const BufferPtr& buffer);
  bool due() const { return source_->ready(); }
  void perform();  // waits for the bytes; returns at once if another thread performs the read

  const Buffer* of_ = nullptr;
  std::shared_ptr<Event> source_;  // the event of the buffer
  BufferPtr buffer_;               // until the read is done
  std::atomic<bool> taken_ = false;
  Event done_;
};
using ReadPtr = std::shared_ptr<Read>;

}  // namespace weft::runtime
