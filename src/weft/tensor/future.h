// A value that the device is still making.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <utility>

namespace weft {

template <class T>
class Future {
 public:
  Future() = default;
  Future(std::future<void> done, std::shared_ptr<const T> value) : done_(done.share()), value_(std::move(value)) {}

  bool valid() const { return done_.valid(); }
  bool ready() const { return done_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  void wait() const { done_.wait(); }
  // Waits; rethrows the error of the launch that should have made the value.
  T get() const {
    done_.get();
    return *value_;
  }

 private:
  std::shared_future<void> done_;
  std::shared_ptr<const T> value_;
};

}  // namespace weft
