#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <weft/runtime/parallel_pool.h>

namespace weft::runtime::pool {

namespace {

// Threads that belong to the one thread that gives them work; they end with it.
class Workers {
 public:
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    start_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void run(int parts, void (*part)(void*, int), void* context) {
    while (std::ssize(threads_) < parts - 1) {
      threads_.emplace_back(
          [this, index = static_cast<int>(threads_.size()) + 1, seen = round_] { work(index, seen); });
    }
    {
      const std::lock_guard lock(mutex_);
      parts_ = parts;
      part_ = part;
      context_ = context;
      running_ = parts - 1;
      ++round_;
    }
    start_.notify_all();
    part(context, 0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void work(int index, std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    for (;;) {
      start_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
      if (index >= parts_) continue;
      lock.unlock();
      part_(context_, index);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  std::vector<std::thread> threads_;
  std::uint64_t round_ = 0;
  int parts_ = 0, running_ = 0;
  void (*part_)(void*, int) = nullptr;
  void* context_ = nullptr;
  bool stopping_ = false;
};

}  // namespace

void run(int parts, int threads, void (*part)(void*, int), void* context) {
  if (threads == 1) {
    for (int i = 0; i < parts; ++i) part(context, i);
    return;
  }
  thread_local Workers workers;  // threads that compute at the same time do not wait for each other
  workers.run(parts, part, context);
}

void sleep_early(bool /*early*/) {}  // these threads never spin

int threads() { return 1; }
void set_threads(int /*threads*/) {}

}  // namespace weft::runtime::pool
