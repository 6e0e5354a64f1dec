#include <weft/runtime/cuda/completer.h>

#include <utility>

#include <weft/base/error.h>
#include <weft/base/trace.h>
#include <weft/runtime/cuda/gpus.h>
#include <weft/runtime/spin_pause.h>

namespace weft::runtime::cuda {

std::exception_ptr Failure::of_current_exception() {
  try {
    throw;
  } catch (const DriverError& error) {
    if (!error.is_fatal()) return std::current_exception();
    const std::lock_guard lock(mutex_);
    if (first_.empty()) {
      first_ = error.what();
      return std::current_exception();
    }
    return std::make_exception_ptr(Error(concat("an earlier launch made the GPU unusable: ", first_)));
  } catch (...) {
    return std::current_exception();
  }
}

Completer::~Completer() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
  release_on(ordinal_, [&](const Driver& driver) {
    for (const CUevent event : spare_events_) driver.cuEventDestroy(event);
  });
}

void Completer::add(CUstream stream, Milestone& milestone, StreamError error) {
  Waiting waiting{.milestone = &milestone, .error = std::move(error)};
  try {
    waiting.event = record(stream);
  } catch (const Error&) {
    if (!waiting.error.error) {
      drain();  // so that an earlier launch is the first to learn of an error that is its own
      waiting.error.error = failure_.of_current_exception();
    }
  }
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(waiting));
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  arrived_.notify_one();
}

CUevent Completer::record(CUstream stream) {
  CUevent event = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
    }
  }
  if (!event) check(driver().cuEventCreate(&event, blocking_event | event_without_time), "cuEventCreate");
  check(driver().cuEventRecord(event, stream), "cuEventRecord");
  return event;
}

void Completer::drain() {
  std::unique_lock lock(mutex_);
  told_.wait(lock, [this] { return waiting_.empty(); });
}

// Spins for a while, since being woken takes longer than a small program.
void Completer::await(CUevent event) const {
  constexpr std::uint64_t most_ns = 50'000;
  CUresult result = driver().cuEventQuery(event);
  for (const std::uint64_t end = trace::now_ns() + most_ns; result == not_ready && trace::now_ns() < end;
       result = driver().cuEventQuery(event)) {
    for (int i = 0; i < 32; ++i) spin_pause();
  }
  check(result == not_ready ? driver().cuEventSynchronize(event) : result, "the GPU");
}

void Completer::work() {
  trace::name_thread("GPU");
  const Current current(ordinal_);
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [this] { return !waiting_.empty() || is_stopping_; });
    if (waiting_.empty()) return;
    Waiting& next = waiting_.front();  // stays where it is when others are added
    lock.unlock();
    if (next.event) {
      try {
        await(next.event);
      } catch (const Error&) {
        if (!next.error.error) next.error.error = failure_.of_current_exception();
      }
    }
    const CUevent event = next.event;
    next.milestone->reached(std::exchange(next.error, {}));
    lock.lock();
    if (event) spare_events_.push_back(event);
    waiting_.pop_front();
    if (waiting_.empty()) told_.notify_all();
  }
}

}  // namespace weft::runtime::cuda
