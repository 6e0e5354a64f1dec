// How many CPUs the rest of the machine leaves to this process, so that kernels use fewer threads while other programs run. A
// kernel ends when the last of its threads does: one thread that waits for a CPU holds up all others.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::runtime {

// Processor time so far, in nanoseconds.
struct CpuTimes {
  std::uint64_t wall = 0;
  std::uint64_t busy = 0;    // of all CPUs that this process may run on, whoever ran there
  std::uint64_t own = 0;     // of this process, but for its competing threads
  std::uint64_t stolen = 0;  // of the same CPUs, while the hypervisor ran other machines on them
};

// While it lives, the calling thread counts as another program would: it works beside kernels (a thread of a data loader, say).
class CompetingThread {
 public:
  CompetingThread();
  ~CompetingThread();
  CompetingThread(const CompetingThread&) = delete;
  CompetingThread& operator=(const CompetingThread&) = delete;
};

// Reads them from the system. Thread-safe. Returns nullopt where the system does not tell (no /proc).
std::optional<CpuTimes> read_cpu_times();

// Turns readings into a number of CPUs. Not thread-safe.
class CpuShare {
 public:
  // `cpus` is the number of CPUs that this process may use.
  explicit CpuShare(int cpus) : cpus_(cpus) {}

  void add(const CpuTimes& now);

  // CPUs that others leave.
  int left() const { return cpus_ - taken_; }
  // CPUs that others kept busy of late.
  double others() const { return others_; }

 private:
  int cpus_;
  std::optional<CpuTimes> last_;
  double others_ = 0;  // smoothed
  int taken_ = 0;      // CPUs that others have, as whole ones
};

// The number of threads to use where `wanted` would be used on an idle machine, when others leave `left` of `cpus`: as many as are
// left, but at least half of `wanted`, which is this process's fair part of a machine that others fill. All of `wanted` where it
// is more than there are CPUs, for then somebody asked for it.
int threads_on(int left, int cpus, int wanted);

}  // namespace weft::runtime
