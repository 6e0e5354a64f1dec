#include <weft/runtime/cuda/completer.h>

#include <atomic>
#include <new>
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
    return std::make_exception_ptr(of_earlier_launch(first_));
  } catch (...) {
    return std::current_exception();
  }
}

Error Failure::of_earlier_launch(const std::string& message) {
  return Error("an earlier launch made the GPU unusable: " + message);
}

Completer::Completer(int ordinal, CUstream stream, Failure& failure)
    : ordinal_(ordinal),
      stream_(stream),
      failure_(failure),
      clock_(ordinal),
      pinned_(ordinal),
      reached_(new(pinned_.at_least(sizeof(std::uint32_t))) std::uint32_t(0)) {}

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

void Completer::add(Milestone& milestone, StreamError error, std::vector<GpuClock::Timed> timed) {
  Waiting waiting{.number = ++last_, .milestone = &milestone, .error = std::move(error), .timed = std::move(timed)};
  try {
    waiting.event = record(waiting.number);
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

CUevent Completer::record(std::uint32_t number) {
  CUevent event = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
    }
  }
  if (!event) check(driver().cuEventCreate(&event, blocking_event | event_without_time), "cuEventCreate");
  CUresult result =
      driver().cuStreamWriteValue32(stream_, as_address(reinterpret_cast<std::byte*>(reached_)), number, 0);
  if (result == success) result = driver().cuEventRecord(event, stream_);
  if (result == success) return event;
  const std::lock_guard lock(mutex_);
  spare_events_.push_back(event);
  check(result, "cuEventRecord");
  return nullptr;
}

void Completer::drain() {
  std::unique_lock lock(mutex_);
  told_.wait(lock, [this] { return waiting_.empty(); });
}

// Numbers may overflow.
bool Completer::has_reached(std::uint32_t number) const {
  const std::uint32_t reached = std::atomic_ref(*reached_).load(std::memory_order_acquire);
  return static_cast<std::int32_t>(reached - number) >= 0;
}

// Spins for a while, since being woken takes longer than a small program.
void Completer::await(const Waiting& next) const {
  constexpr std::uint64_t most_ns = 50'000;
  const std::uint64_t end = trace::now_ns() + most_ns;
  while (!has_reached(next.number)) {
    if (trace::now_ns() < end) {
      spin_pause();
      continue;
    }
    const CUresult result = driver().cuEventSynchronize(next.event);
    if (!has_reached(next.number)) check(result, "the GPU");
    return;
  }
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
        await(next);
        clock_.tell(next.timed);
      } catch (const Error&) {
        if (!next.error.error) next.error.error = failure_.of_current_exception();
      }
    }
    clock_.release(next.timed);
    const CUevent event = next.event;
    next.milestone->reached(std::exchange(next.error, {}));
    lock.lock();
    if (event) spare_events_.push_back(event);
    waiting_.pop_front();
    if (waiting_.empty()) told_.notify_all();
  }
}

}  // namespace weft::runtime::cuda
