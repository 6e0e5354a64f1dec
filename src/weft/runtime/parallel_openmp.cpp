#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include <omp.h>
#include <system_error>

#include <weft/runtime/parallel_pool.h>

namespace weft::runtime::pool {

namespace {

// Keeps so many OpenMP threads asleep, for the lifetime of this object, that all others sleep early. libgomp reads only once,
// when it is loaded, how long its threads spin before they sleep, and has no call to change that. But while there are more
// OpenMP threads than CPUs, all of them sleep after 100 turns instead of 300,000 (GOMP_SPINCOUNT in its manual).
class Sleepers {
 public:
  Sleepers() : owner_([this] { keep(); }) {}
  ~Sleepers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    end_.notify_one();
    owner_.join();
  }
  Sleepers(const Sleepers&) = delete;
  Sleepers& operator=(const Sleepers&) = delete;

 private:
  void keep() {
    // The threads of a team stay with the thread that started it until this thread ends.
    const int more_than_cpus = std::max(omp_get_num_procs() - omp_get_max_threads(), 0) + 2;
    std::atomic<int> started = 0;  // prevents GCC from removing an empty parallel region
#pragma omp parallel num_threads(more_than_cpus)
    ++started;
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return ending_; });
  }

  std::mutex mutex_;
  std::condition_variable end_;
  bool ending_ = false;
  std::thread owner_;  // last, because it uses the members above
};

}  // namespace

void run(int parts, int threads, void (*part)(void*, int), void* context) {
  if (threads == 1) {
    for (int i = 0; i < parts; ++i) part(context, i);
    return;
  }
  // Always start `threads` threads, even for fewer parts: libgomp rebuilds its team when the number of threads changes, which
  // costs more than idle threads. If libgomp starts fewer, they must still run every part.
#pragma omp parallel num_threads(threads) default(none) firstprivate(parts, part, context)
  for (int i = omp_get_thread_num(); i < parts; i += omp_get_num_threads()) part(context, i);
}

void sleep_early(bool early) {
  static auto* sleepers =
      new std::unique_ptr<Sleepers>;  // never destroyed: devices may outlive what ends with the process
  if (early == static_cast<bool>(*sleepers)) return;
  try {
    *sleepers = early ? std::make_unique<Sleepers>() : nullptr;
  } catch (const std::system_error&) {
    // No more threads can be started, so the existing ones spin.
  }
}

int threads() { return omp_get_max_threads(); }
void set_threads(int threads) { omp_set_num_threads(threads); }

}  // namespace weft::runtime::pool
