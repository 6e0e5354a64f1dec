// Prefetch makes items ahead of their use on worker threads and returns them in order.
//   data::Prefetch<Batch> batches([&](std::int64_t index) { return read_batch(index); }, {.workers = 2});
//   while (...) train(batches.next());
// Only one thread at a time may call next().
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/base/threads.h>
#include <weft/base/trace.h>
#include <weft/record/sync.h>
#include <weft/runtime/cpu_share.h>

namespace weft::data {

struct PrefetchOptions {
  int workers = 1;  // threads that make items, fewer if the system starts no more; 0: items are made when requested
  int ahead = 2;    // maximum number of items that are ready or being made but not yet returned
  std::int64_t first = 0;                                       // index of the first item
  std::int64_t end = std::numeric_limits<std::int64_t>::max();  // end of the indices, exclusive
};

template <class Item>
class Prefetch {
 public:
  // Calls `make` once for each index from `first` on, concurrently if there are several workers. Without workers, it is
  // not called for skipped items.
  explicit Prefetch(std::function<Item(std::int64_t index)> make, PrefetchOptions options = {})
      : make_(std::move(make)),
        next_(options.first),
        claimed_(options.first),
        end_(options.end),
        ahead_(options.ahead) {
    require(options.workers >= 0 && options.ahead >= 1,
            "Prefetch: workers must not be negative and ahead positive, got ", options.workers, " and ", options.ahead);
    workers_ = start_threads(options.workers, [this, here = &weft::device()] {
      set_device(*here);  // workers use the device of the thread that created them
      const runtime::CompetingThread competing;
      work();
    });
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  ~Prefetch() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    room_.notify_all();
    workers_.clear();  // joins them
  }

  // Blocks until the next item is ready and returns it. Throws the exception of `make`.
  Item next() {
    const trace::Scope scope("input", "wait for data");
    const metrics::Timer timer(metrics::input_wait_time);
    if (workers_.empty()) return make_(next_++);
    Slot slot = take();
    if (slot.error) std::rethrow_exception(slot.error);
    return std::move(*slot.item);
  }

  // Skips the next item and ignores its exception.
  void skip() { workers_.empty() ? static_cast<void>(++next_) : static_cast<void>(take()); }

 private:
  struct Slot {
    std::optional<Item> item;
    std::exception_ptr error;
    bool done = false;
  };

  Slot take() {
    std::unique_lock lock(mutex_);
    made_.wait(lock, [&] { return !slots_.empty() && slots_.front().done; });
    Slot slot = std::move(slots_.front());
    slots_.pop_front();
    ++next_;
    lock.unlock();
    room_.notify_one();
    return slot;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      room_.wait(lock, [&] { return stopping_ || claimed_ == end_ || claimed_ < next_ + ahead_; });
      if (stopping_ || claimed_ == end_) return;
      const std::int64_t index = claimed_++;
      slots_.emplace_back();
      lock.unlock();
      Slot made;
      try {
        const trace::Scope scope("loader", "make a batch", index);
        made.item.emplace(make_(index));
      } catch (...) {
        made.error = std::current_exception();
      }
      made.done = true;
      lock.lock();
      slots_[index - next_] = std::move(made);
      if (index == next_) made_.notify_one();
    }
  }

  std::function<Item(std::int64_t)> make_;
  std::mutex mutex_;
  std::condition_variable made_, room_;
  std::deque<Slot> slots_;  // for the indices from next_ to claimed_
  std::int64_t next_, claimed_;
  std::int64_t end_, ahead_;
  bool stopping_ = false;
  std::vector<std::jthread> workers_;
};

}  // namespace weft::data
