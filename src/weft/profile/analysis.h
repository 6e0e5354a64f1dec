// Statistics derived from a recording: of its ops, of its steps, and of what the device waited for between executions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/profile/recording.h>
#include <weft/profile/spread.h>

namespace weft::profile {

enum class Bound : std::uint8_t { unknown, compute, memory, overhead, link };
std::string_view name(Bound bound);

// All executions of one op of one program. The work of a launch besides its thunks (binding buffers, taking memory) is an op of
// its own, of category "launch", so that the ops' times add up to the busy time of the device.
struct OpStats {
  int rank = 0;                        // 1: the op with the greatest time of its own
  std::int32_t program = -1, op = -1;  // op -1: the launch itself
  std::string program_name, category, name, source, scope;
  std::string identity;  // equal in other runs of the same model, whatever numbers the op has there
  std::uint64_t occurrences = 0, total_ns = 0, self_ns = 0, first_ns = 0;
  Spread spread;                           // without the first execution, which touches new memory and prepares code
  double flops = 0, bytes = 0;             // per execution, computed from the shapes
  double share = 0, cumulative_share = 0;  // of the device's busy time
  // Per execution: at the roofs of the machine, or, for a collective, on the link between the devices; 0 if these are unknown.
  double predicted_ns = 0;
  std::uint64_t exposed_ns = 0;  // of a collective: the time in which no other op ran, of all executions
  Bound bound = Bound::unknown;

  double average_ns() const {
    return occurrences ? static_cast<double>(total_ns) / static_cast<double>(occurrences) : 0;
  }
  // These use the median, because a few disturbed executions say nothing about the op.
  double flops_per_s() const { return spread.median > 0 ? flops * 1e9 / spread.median : 0; }
  double bytes_per_s() const { return spread.median > 0 ? bytes * 1e9 / spread.median : 0; }
  double over_prediction() const { return predicted_ns > 0 ? spread.median / predicted_ns : 0; }  // 0 if unknown
};

// What the time between two executions was spent on, on the host or on the device's own thread. An instant with several causes
// counts for the first in this order; disturbance is derived afterwards from the time of the last two.
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

// A period of the device's time, with what it was spent on: busy time and gaps add up to all of it.
struct Period {
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t slow_ns[slow_causes] = {};  // parts of the busy time
  std::uint64_t exposed_ns = 0;             // another part: only collectives ran
  std::uint64_t gap_ns[gap_causes] = {};

  std::uint64_t wall_ns() const { return end_ns - begin_ns; }
  std::uint64_t gap() const;
  std::uint64_t slow() const;
  std::uint64_t computing_ns() const { return busy_ns - slow() - exposed_ns; }
  std::uint64_t slow_for(SlowCause cause) const { return slow_ns[static_cast<int>(cause)]; }
  std::uint64_t gap_for(GapCause cause) const { return gap_ns[static_cast<int>(cause)]; }
};

// The period from the end of the previous step's work on the device to the end of this step's work.
struct StepStats : Period {
  std::uint64_t number = 0;
  std::uint64_t host_ns = 0;  // the host's own time in the step: its span without waits
};

struct Analysis {
  std::vector<OpStats> ops;      // by rank
  std::vector<StepStats> steps;  // without the first one, which has no previous step
  std::string step_source;       // which spans were taken for steps
  // `startup` is the time until the first step was done, `ending` the time after the last one.
  Period startup, ending;
  std::uint64_t launches = 0;
  // From the start of the first launch on the device to the end of the last.
  std::uint64_t begin_ns = 0, end_ns = 0, busy_ns = 0, queue_ns = 0;
  std::uint64_t gap_ns[gap_causes] = {};
  std::uint64_t ops_ns = 0;  // sum of the ops' own times
  // The time in which collectives ran, and how much of it is exposed: no other op ran beside them.
  std::uint64_t communication_ns = 0, exposed_ns = 0;

  std::uint64_t wall_ns() const { return end_ns - begin_ns; }
  // Returns which share of the communication is exposed; 0 if there is none.
  double exposed_share() const {
    return communication_ns ? static_cast<double>(exposed_ns) / static_cast<double>(communication_ns) : 0;
  }
  std::uint64_t gap() const;
  Spread step_spread() const;  // of the steps' wall times
  double mean_step_ns() const;
  double median_step_ns() const { return step_spread().median; }
};

Analysis analyse(const Recording& recording);

// Returns the program that took the most time; null if no contents of programs were recorded.
const Program* longest_program(const Recording& recording, const Analysis& analysis);

// Returns the cost of recording as a share of the recorded time; negative if unknown.
double recording_share(const Recording& recording);

}  // namespace weft::profile
