#include <weft/runtime/event.h>

#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/runtime/slots.h>
#include <weft/runtime/stream_worker.h>

namespace weft::runtime {

namespace {

StreamWorker& callback_thread() {
  static auto* const worker = new StreamWorker("callbacks");  // never destroyed: events may come until the process ends
  return *worker;
}

}  // namespace

Event::~Event() {
  const Callback* callback = callbacks_.load(std::memory_order_acquire);
  if (callback == closed()) return;
  while (callback) delete std::exchange(callback, callback->next);
}

void Event::then(std::function<void(std::exception_ptr)> callback) {
  auto* const added = new Callback{std::move(callback), callbacks_.load(std::memory_order_acquire)};
  do {
    if (added->next == closed()) {
      added->next = nullptr;
      call_back(added, error_);
      return;
    }
  } while (!callbacks_.compare_exchange_weak(added->next, added, std::memory_order_acq_rel, std::memory_order_acquire));
}

// Calls the callbacks in the list that ends with `last`, the first added one first, and deletes them.
void Event::call_back(Callback* last, const std::exception_ptr& error) {
  Callback* first = nullptr;
  while (last) {
    Callback* const before = std::exchange(last->next, first);
    first = std::exchange(last, before);
  }
  while (first) {
    const std::unique_ptr<Callback> callback(std::exchange(first, first->next));
    callback_thread().add([function = std::move(callback->function), error] { function(error); });
  }
}

void Event::settle(std::exception_ptr error) {
  std::uint32_t expected = pending;
  if (!state_.compare_exchange_strong(expected, coming, std::memory_order_acquire)) return;
  error_ = std::move(error);
  came_ns_ = trace::now_ns();
  Callback* const callbacks = callbacks_.exchange(closed(), std::memory_order_acq_rel);
  const std::exception_ptr told = callbacks ? error_ : nullptr;
  // Sequentially consistent, because the check for waiters follows it. A waiter may destroy the event as soon as it sees it
  // set; notify_all uses only the address.
  state_.store(came);
  state_.notify_all();
  if (callbacks) [[unlikely]]
    call_back(callbacks, told);
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
