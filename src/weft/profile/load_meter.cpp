#include <weft/profile/load_meter.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <weft/base/trace.h>
#include <weft/runtime/cpu_share.h>

namespace weft::profile {

namespace {

// Returns the beginning of a small file of /proc; empty if it does not exist. It is called ten times a second for every thread,
// hence without streams.
std::string beginning_of(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[256];
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

Load machine_now() {
  Load load{.time_ns = trace::now_ns()};
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) load.preemptions = usage.ru_nivcsw;
  if (const auto times = runtime::read_cpu_times()) {
    load.machine_cpu_ns = times->busy;
    load.stolen_ns = times->stolen;
  }
  return load;
}

}  // namespace

LoadMeter::LoadMeter() : start_(machine_now()) {
  add_threads();
  sum_ = {};
}

Load LoadMeter::take() {
  add_threads();
  Load load = machine_now();
  load.cpu_ns = sum_.cpu_ns;
  load.waited_ns = sum_.waited_ns;
  load.preemptions -= std::min(load.preemptions, start_.preemptions);
  load.machine_cpu_ns -= std::min(load.machine_cpu_ns, start_.machine_cpu_ns);
  load.stolen_ns -= std::min(load.stolen_ns, start_.stolen_ns);
  return load;
}

void LoadMeter::add_threads() {
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  const std::unique_ptr<DIR, Close> tasks(::opendir("/proc/self/task"));
  if (!tasks) return;
  while (const dirent* entry = ::readdir(tasks.get())) {
    const int id = std::atoi(entry->d_name);
    if (id <= 0 || id == ::gettid()) continue;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", id);
    unsigned long long ran = 0, waited = 0;
    if (std::sscanf(beginning_of(path).c_str(), "%llu %llu", &ran, &waited) != 2) continue;
    Thread& before = threads_[id];
    if (ran < before.cpu_ns) before = {};  // another thread got the same id
    sum_.cpu_ns += ran - before.cpu_ns;
    sum_.waited_ns += waited - std::min<std::uint64_t>(waited, before.waited_ns);
    before = {ran, waited};
  }
}

}  // namespace weft::profile
