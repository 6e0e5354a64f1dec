#include <weft/runtime/event.h>

#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/runtime/slots.h>

namespace weft::runtime {

void Event::settle(std::exception_ptr error) {
  std::uint32_t expected = pending;
  if (!state_.compare_exchange_strong(expected, coming, std::memory_order_acquire)) return;
  error_ = std::move(error);
  came_ns_ = trace::now_ns();
  // Sequentially consistent: whether somebody waits is looked at behind it. A waiter may destroy the event as soon as it sees it
  // set; to notify takes the address alone.
  state_.store(came);
  state_.notify_all();
}

std::exception_ptr Event::error() const {
  if (!ready()) {
    const trace::Scope scope("wait", "wait for a result");
    const metrics::Timer timer(metrics::host_wait_time);
    for (std::uint32_t state = state_.load(std::memory_order_acquire); state != came;
         state = state_.load(std::memory_order_acquire))
      state_.wait(state, std::memory_order_acquire);
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
    Slots::settle(**made);
    (*made)->set();
    return made;
  }();
  return *event;
}

}  // namespace weft::runtime
