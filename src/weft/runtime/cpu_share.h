// Estimates how many CPUs other programs leave to this process, so that kernels use fewer threads while other programs run. A
// kernel ends when its last thread does, so one thread that waits for a CPU delays all others.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::runtime {

// Accumulated processor time, in nanoseconds.
struct CpuTimes {
  std::uint64_t wall = 0;
  std::uint64_t busy = 0;    // busy time of all CPUs that this process may run on, whoever ran there
  std::uint64_t own = 0;     // the share of this process, without its competing threads
  std::uint64_t stolen = 0;  // time for which the hypervisor ran other machines on these CPUs
};

// Marks the calling thread, for the lifetime of this object, as one that competes with kernels as another program would (a
// thread of a data loader, say).
class CompetingThread {
 public:
  CompetingThread();
  ~CompetingThread();
  CompetingThread(const CompetingThread&) = delete;
  CompetingThread& operator=(const CompetingThread&) = delete;
};

// Reads the times from the system. Thread-safe. Returns nullopt where the system does not provide them (no /proc).
std::optional<CpuTimes> read_cpu_times();

// Derives from readings how many CPUs others leave. Not thread-safe.
class CpuShare {
 public:
  // `cpus` is the number of CPUs that this process may use.
  explicit CpuShare(int cpus) : cpus_(cpus) {}

  // Measures from this reading on; the time since the one before does not count.
  void start(const CpuTimes& now) { last_ = now; }
  void add(const CpuTimes& now);

  // Returns the number of CPUs that others leave.
  int left() const { return cpus_ - taken_; }
  // Returns the recent CPU use of others, in CPUs.
  double others() const { return others_; }

 private:
  int cpus_;
  std::optional<CpuTimes> last_;
  double others_ = 0;  // smoothed
  int taken_ = 0;      // others_ as a whole number of CPUs
};

// Returns the number of threads to use when others leave `left` of `cpus` CPUs and `wanted` threads would be used on an idle
// machine: `left`, but at most `wanted` and at least half of it, which is this process's fair share of a full machine. If `wanted` is
// more than `cpus`, somebody asked for it, so the result is `wanted`.
int threads_on(int left, int cpus, int wanted);

}  // namespace weft::runtime
