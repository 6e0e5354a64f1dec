#include <weft/runtime/parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>
#include <weft/runtime/cpu_share.h>
#include <weft/runtime/foreign_threads.h>
#include <weft/runtime/parallel_pool.h>

namespace weft::runtime {

namespace {

constexpr int most_threads = 1024;

std::atomic<int> threads = 0;         // 0: not decided yet
thread_local bool is_serial = false;  // each thread may be a part of another call

// Asks the system from time to time how many CPUs it leaves to kernels.
class Sharing {
 public:
  int threads(int wanted) {
    const std::uint64_t now = trace::now_ns();
    if (now >= due_.load(std::memory_order_relaxed)) look(now, wanted);
    return threads_on(left_.load(std::memory_order_relaxed), cpus_, wanted);
  }

  void expect_foreign_threads() {
    constexpr std::uint64_t expected_ns = 1'000'000'000;
    const std::uint64_t now = trace::now_ns();
    if (foreign_until_.exchange(now + expected_ns, std::memory_order_relaxed) >= now) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) pool::sleep_early(true);
  }

 private:
  // Ticks of the system's clock are 10 ms long, and measurements must take at most a thousandth of the time.
  static constexpr std::uint64_t period_ns = 100'000'000, share_of_looks = 1000;

  void look(std::uint64_t now, int wanted) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;  // another thread measures
    // Behind a pause of this process, others may have stopped as well: a program that is run before or after this one, say.
    const bool had_pause = now > due_.load(std::memory_order_relaxed) + 2 * period_ns;
    if (const auto times = read_cpu_times()) had_pause ? share_.start(*times) : share_.add(*times);
    left_.store(share_.left(), std::memory_order_relaxed);
    pool::sleep_early(threads_on(share_.left(), cpus_, wanted) < wanted ||
                      now < foreign_until_.load(std::memory_order_relaxed));
    const std::uint64_t cost = trace::now_ns() - now;
    due_.store(now + std::max(period_ns, cost * share_of_looks), std::memory_order_relaxed);
  }

  const int cpus_ = usable_cpus();
  std::atomic<int> left_ = cpus_;
  std::atomic<std::uint64_t> due_ = 0, foreign_until_ = 0;
  std::mutex mutex_;
  CpuShare share_{cpus_};
};

// One call of parallel_for, with `parts` ranges of [0, count).
struct Work {
  void (*body)(void*, std::int64_t, std::int64_t);
  void* context;
  std::int64_t count;
  int parts;

  std::mutex mutex;
  int failed_part = std::numeric_limits<int>::max();
  std::exception_ptr error;

  // Returns the begin of a range. The lengths of ranges differ by at most one.
  std::int64_t begin(int part) const {
    const std::int64_t length = count / parts, longer = count % parts;
    return part * length + std::min<std::int64_t>(part, longer);
  }

  void run(int part) noexcept {
    const Serially serially;
    try {
      body(context, begin(part), begin(part + 1));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (part >= failed_part) return;
      failed_part = part;
      error = std::current_exception();
    }
  }
};

}  // namespace

int thread_count() {
  int count = threads.load(std::memory_order_relaxed);
  if (count != 0) return count;
  const auto wanted = knobs::num_threads();
  count = wanted == 0 ? usable_cpus() : std::min<std::int64_t>(wanted, most_threads);
  int undecided = 0;
  return threads.compare_exchange_strong(undecided, count, std::memory_order_relaxed) ? count : undecided;
}

void set_thread_count(int count) {
  require(count >= 1 && count <= most_threads, "set_thread_count: expected 1 to ", most_threads, " threads, got ",
          count);
  threads.store(count, std::memory_order_relaxed);
}

namespace {
std::atomic<int> computing = 0;
std::atomic<int> pretended_cpus = 0;  // 0: no pretence
}  // namespace

Computing::Computing() { computing.fetch_add(1, std::memory_order_relaxed); }
Computing::~Computing() { computing.fetch_sub(1, std::memory_order_relaxed); }

CpusLeft::CpusLeft(int cpus) { pretended_cpus = cpus; }
CpusLeft::~CpusLeft() { pretended_cpus = 0; }

namespace {
Sharing& sharing() {
  static auto* const sharing = new Sharing;  // never destroyed: devices may outlive what ends with the process
  return *sharing;
}
}  // namespace

void expect_foreign_threads() { sharing().expect_foreign_threads(); }

int threads_now() {
  const int wanted = thread_count();
  if (wanted == 1) return 1;
  if (const int cpus = pretended_cpus.load(std::memory_order_relaxed)) return std::min(wanted, cpus);
  if (!knobs::share_cpus()) return wanted;
  const int each = wanted / std::max(computing.load(std::memory_order_relaxed), 1);
  return std::clamp(sharing().threads(wanted), 1, std::max(each, 1));
}

void adopt_thread_count() { pool::set_threads(thread_count()); }

SingleThread::SingleThread() { pool::set_threads(1); }
SingleThread::~SingleThread() { adopt_thread_count(); }

Serially::Serially() : before_(std::exchange(is_serial, true)) {}
Serially::~Serially() { is_serial = before_; }

BorrowedThread::BorrowedThread() : before_(pool::threads()) {}
BorrowedThread::~BorrowedThread() { pool::set_threads(before_); }

void parallel_for(std::int64_t count, std::int64_t grain, void (*body)(void*, std::int64_t, std::int64_t),
                  void* context) {
  if (count <= 0) return;
  const int parts = std::clamp<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1, thread_count());
  if (parts == 1 || is_serial) {
    body(context, 0, count);
    return;
  }
  Work work{.body = body, .context = context, .count = count, .parts = parts, .mutex = {}, .error = nullptr};
  pool::run(parts, threads_now(), [](void* w, int part) { static_cast<Work*>(w)->run(part); }, &work);
  if (work.error) std::rethrow_exception(work.error);
}

}  // namespace weft::runtime
