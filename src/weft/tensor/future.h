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
  using Clock = std::chrono::steady_clock;
  struct Made {
    T value{};
    Clock::time_point at;
  };

  Future() = default;
  Future(std::future<void> done, std::shared_ptr<const Made> made) : done_(done.share()), made_(std::move(made)) {}

  bool valid() const { return done_.valid(); }
  bool ready() const { return done_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  void wait() const { done_.wait(); }
  // Waits; rethrows the error of the launch that should have made the value.
  T get() const {
    done_.get();
    return made_->value;
  }
  // Waits too: when the device had made the value, however much later the host asks.
  Clock::time_point made_at() const {
    done_.get();
    return made_->at;
  }

 private:
  std::shared_future<void> done_;
  std::shared_ptr<const Made> made_;
};

}  // namespace weft
