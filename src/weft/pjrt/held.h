// Buffers whose memory no launch takes while they are held.
#pragma once

#include <utility>
#include <vector>

#include <weft/runtime/buffer.h>

namespace weft::pjrt {

class Held {
 public:
  Held() = default;
  explicit Held(std::vector<runtime::BufferPtr> buffers) : buffers_(std::move(buffers)) {
    for (const auto& buffer : buffers_) buffer->add_holder();
  }
  Held(const Held& other) : Held(other.buffers_) {}
  Held(Held&& other) noexcept : buffers_(std::exchange(other.buffers_, {})) {}
  Held& operator=(Held other) noexcept {
    std::swap(buffers_, other.buffers_);
    return *this;
  }
  ~Held() { (void)release(); }

  const std::vector<runtime::BufferPtr>& buffers() const { return buffers_; }
  // Returns the buffers, which are no longer held.
  std::vector<runtime::BufferPtr> release() {
    for (const auto& buffer : buffers_) buffer->remove_holder();
    return std::exchange(buffers_, {});
  }

 private:
  std::vector<runtime::BufferPtr> buffers_;
};

}  // namespace weft::pjrt
