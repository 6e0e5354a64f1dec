// What a recording says: the statistics of its ops, the times of its steps and what the device waited for between executions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/profile/recording.h>
#include <weft/profile/spread.h>

namespace weft::profile {

enum class Bound : std::uint8_t { unknown, compute, memory, overhead };
std::string_view name(Bound bound);

// One op of one program: all its executions. What a launch does beside its thunks (binding buffers, taking memory) is an op of its
// own, of category "launch", so that the ops' times add up to the time the device was busy.
struct OpStats {
  int rank = 0;                        // 1: the one that took the most time of its own
  std::int32_t program = -1, op = -1;  // op -1: of the launch itself
  std::string program_name, category, name, source, scope;
  std::string identity;  // the same in another run of the same model, whatever its numbers are there
  std::uint64_t occurrences = 0, total_ns = 0, self_ns = 0, first_ns = 0;
  Spread spread;                // of its executions but the first, which has memory to touch and code to prepare
  double flops = 0, bytes = 0;  // of one execution, by the shapes
  double share = 0, cumulative_share = 0;  // of the device's busy time
  double predicted_ns = 0;                 // of one execution, at the roofs of the machine; 0: they are not known
  Bound bound = Bound::unknown;

  double average_ns() const {
    return occurrences ? static_cast<double>(total_ns) / static_cast<double>(occurrences) : 0;
  }
  // These go by the median: a few executions that were disturbed say nothing about the op.
  double flops_per_s() const { return spread.median > 0 ? flops * 1e9 / spread.median : 0; }
  double bytes_per_s() const { return spread.median > 0 ? bytes * 1e9 / spread.median : 0; }
  double over_prediction() const { return predicted_ns > 0 ? spread.median / predicted_ns : 0; }  // 0: not known
};

// What the time between two executions went to, on the host or on the device's own thread. In the order in which an instant that
// could be said to be several is counted; disturbance is found afterwards, in what is left to the last two.
enum class GapCause : std::uint8_t {
  compile,
  checkpoint,
  hashing,
  validation,
  input,
  transfer,
  launch,
  host,
  disturbance
};
inline constexpr int gap_causes = 9;
std::string_view name(GapCause cause);

// Why the device was busy for longer than its programs need.
//   validation: it ran for a validation, not for a step
//   first_run:  a program's first execution took longer than its median one
//   contention: executions took longer than the program's fastest while threads of the process waited for a CPU
//   stolen:     the same while the hypervisor had the CPUs
//   fallback:   operations ran without a kernel
enum class SlowCause : std::uint8_t { validation, first_run, contention, stolen, fallback };
inline constexpr int slow_causes = 5;
std::string_view name(SlowCause cause);

// Some time of the device, and what it went to: busy and gaps add up to all of it.
struct Period {
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t slow_ns[slow_causes] = {};  // of the busy time
  std::uint64_t gap_ns[gap_causes] = {};

  std::uint64_t wall_ns() const { return end_ns - begin_ns; }
  std::uint64_t gap() const;
  std::uint64_t slow() const;
  std::uint64_t computing_ns() const { return busy_ns - slow(); }
  std::uint64_t slow_for(SlowCause cause) const { return slow_ns[static_cast<int>(cause)]; }
  std::uint64_t gap_for(GapCause cause) const { return gap_ns[static_cast<int>(cause)]; }
};

// Between the end of what the step before made the device do and the end of what this one does.
struct StepStats : Period {
  std::uint64_t number = 0;
  std::uint64_t host_ns = 0;  // the host's own time in the step: that of its span, less waits
};

struct Analysis {
  std::vector<OpStats> ops;      // by rank
  std::vector<StepStats> steps;  // the first one, which has no step before, is not among them
  std::string step_source;       // what was taken for a step
  // `startup` is the time until the first step was done, `ending` the time after the last one.
  Period startup, ending;
  std::uint64_t launches = 0;
  // The time from the beginning of the first launch on the device to the end of the last.
  std::uint64_t begin_ns = 0, end_ns = 0, busy_ns = 0, queue_ns = 0;
  std::uint64_t gap_ns[gap_causes] = {};
  std::uint64_t ops_ns = 0;  // sum of the ops' own times

  std::uint64_t wall_ns() const { return end_ns - begin_ns; }
  std::uint64_t gap() const;
  Spread step_spread() const;  // of the steps' times
  double mean_step_ns() const;
  double median_step_ns() const { return step_spread().median; }
};

Analysis analyse(const Recording& recording);

// What recording cost, as a share of the recorded time; negative: not known.
double recording_share(const Recording& recording);

}  // namespace weft::profile
