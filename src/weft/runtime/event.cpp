#include <weft/runtime/event.h>

#include <weft/base/metrics.h>
#include <weft/base/trace.h>

namespace weft::runtime {

void Event::settle(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (ready_.load(std::memory_order_relaxed)) return;
  error_ = std::move(error);
  ready_.store(true, std::memory_order_release);
  came_.notify_all();  // under the lock: a waiter may destroy the event as soon as it sees it set
}

std::exception_ptr Event::error() const {
  if (!ready()) {
    const trace::Scope scope("wait", "event");
    const metrics::Timer timer(metrics::host_wait_time);
    std::unique_lock lock(mutex_);
    came_.wait(lock, [this] { return ready(); });
  }
  return error_;
}

void Event::wait() const {
  const std::exception_ptr error = this->error();
  waited();
  if (error) std::rethrow_exception(error);
}

const std::shared_ptr<Event>& Event::already_set() {
  static const auto* event = [] {  // never destroyed: buffers may be made until the process ends
    auto* made = new std::shared_ptr<Event>(std::make_shared<Event>());
    (*made)->set();
    return made;
  }();
  return *event;
}

}  // namespace weft::runtime
