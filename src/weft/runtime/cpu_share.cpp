#include <weft/runtime/cpu_share.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <mutex>
#include <numeric>
#include <string_view>
#include <time.h>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <weft/base/trace.h>

namespace weft::runtime {

namespace {

// Removes leading blanks and the number behind them from `text`, and returns the number; 0 if there is none.
std::uint64_t take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(end - text.data());
  return number;
}

struct Ticks {
  std::uint64_t busy = 0, stolen = 0;
};

// Adds the fields of one CPU. Idle CPUs, and CPUs that wait for a disk, are not busy.
void add_ticks(std::string_view fields, Ticks& sum) {
  std::array<std::uint64_t, 8> ticks{};
  for (std::uint64_t& field : ticks) field = take_number(fields);
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  sum.busy += user + nice + system + irq + softirq;
  sum.stolen += steal;
}

// Returns the sum over the lines "cpuN ..." of the CPUs that this process may run on; nullopt if the text has no such line.
std::optional<Ticks> ticks_of_allowed(std::string_view text) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return std::nullopt;
  std::optional<Ticks> sum;
  for (std::size_t line = text.find("\ncpu"); line != text.npos; line = text.find("\ncpu", line + 1)) {
    std::string_view fields = text.substr(line + 4, text.find('\n', line + 1) - line - 4);
    const std::uint64_t cpu = take_number(fields);
    if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed)) add_ticks(fields, sum ? *sum : sum.emplace());
  }
  return sum;
}

std::uint64_t time_of(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

clockid_t clock_of_this_thread() {
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  ::pthread_getcpuclockid(::pthread_self(), &clock);
  return clock;
}

// Sums the processor time of competing threads, including those that have ended, because the sum must not decrease.
class CompetingThreads {
 public:
  static CompetingThreads& instance() {
    static auto* threads = new CompetingThreads;  // never destroyed: threads may outlive what ends with the process
    return *threads;
  }

  void add(clockid_t clock) {
    const std::lock_guard lock(mutex_);
    clocks_.push_back(clock);
  }
  void remove(clockid_t clock) {
    const std::lock_guard lock(mutex_);
    std::erase(clocks_, clock);
    ended_ += time_of(clock);
  }
  std::uint64_t time() const {
    const std::lock_guard lock(mutex_);
    return std::accumulate(clocks_.begin(), clocks_.end(), ended_,
                           [](std::uint64_t sum, clockid_t clock) { return sum + time_of(clock); });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<clockid_t> clocks_;
  std::uint64_t ended_ = 0;
};

}  // namespace

CompetingThread::CompetingThread() { CompetingThreads::instance().add(clock_of_this_thread()); }
CompetingThread::~CompetingThread() { CompetingThreads::instance().remove(clock_of_this_thread()); }

std::optional<CpuTimes> read_cpu_times() {
  static const int file = ::open("/proc/stat", O_RDONLY | O_CLOEXEC);
  std::vector<char> text(1 << 16);
  const ssize_t length = file < 0 ? -1 : ::pread(file, text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  const auto ticks = ticks_of_allowed(std::string_view(text.data(), length));
  if (!ticks) return std::nullopt;
  static const std::uint64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return CpuTimes{.wall = trace::now_ns(),
                  .busy = ticks->busy * tick_ns,
                  .own = time_of(CLOCK_PROCESS_CPUTIME_ID) - CompetingThreads::instance().time(),
                  .stolen = ticks->stolen * tick_ns};
}

void CpuShare::add(const CpuTimes& now) {
  if (last_ && now.wall > last_->wall) {
    const auto since = [&](std::uint64_t CpuTimes::* time) {
      return static_cast<double>(now.*time) - static_cast<double>((*last_).*time);
    };
    const double measured = std::clamp((since(&CpuTimes::busy) - since(&CpuTimes::own)) / since(&CpuTimes::wall), 0.0,
                                       static_cast<double>(cpus_));
    others_ = (others_ + measured) / 2;
    // More than half of a CPU counts as a whole one. It is released at a slightly lower level, so that the number does not
    // oscillate.
    constexpr double enter = 0.5, leave = 0.35;
    if (others_ > taken_ + enter || others_ < taken_ - 1 + leave)
      taken_ = static_cast<int>(std::floor(others_ + 1 - enter));
  }
  last_ = now;
}

int threads_on(int left, int cpus, int wanted) {
  return wanted > cpus ? wanted : std::clamp(left, (wanted + 1) / 2, wanted);
}

}  // namespace weft::runtime
