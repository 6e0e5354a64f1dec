// What a recording says: the statistics of its ops, the times of its steps and what the device waited for between executions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/profile/recording.h>

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
  std::uint64_t occurrences = 0, total_ns = 0, self_ns = 0, least_ns = 0, greatest_ns = 0;
  double flops = 0, bytes = 0;             // of one execution, by the shapes
  double share = 0, cumulative_share = 0;  // of the device's busy time
  double predicted_ns = 0;                 // of one execution, at the roofs of the machine; 0: they are not known
  Bound bound = Bound::unknown;

  double average_ns() const {
    return occurrences ? static_cast<double>(total_ns) / static_cast<double>(occurrences) : 0;
  }
  double flops_per_s() const { return total_ns ? flops * 1e9 / average_ns() : 0; }
  double bytes_per_s() const { return total_ns ? bytes * 1e9 / average_ns() : 0; }
  double lost_ns() const {
    return std::max(0.0, static_cast<double>(self_ns) - predicted_ns * static_cast<double>(occurrences));
  }
};

// What the time between two executions went to, on the host or on the device's own thread. In the order in which an instant that
// could be said to be several is counted.
enum class GapCause : std::uint8_t { compile, input, transfer, launch, host };
inline constexpr int gap_causes = 5;
std::string_view name(GapCause cause);

// Between the end of what the step before made the device do and the end of what this one does.
struct StepStats {
  std::uint64_t number = 0;
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t gap_ns[gap_causes] = {};
  std::uint64_t host_ns = 0;  // the host's own time in the step: that of its span, less waits

  std::uint64_t wall_ns() const { return end_ns - begin_ns; }
  std::uint64_t gap() const;
};

struct Analysis {
  std::vector<OpStats> ops;      // by rank
  std::vector<StepStats> steps;  // the first one, which has no step before, is not among them
  std::string step_source;       // what was taken for a step
  std::uint64_t launches = 0;
  // From the beginning of the first launch on the device to the end of the last.
  std::uint64_t begin_ns = 0, end_ns = 0, busy_ns = 0, queue_ns = 0;
  std::uint64_t gap_ns[gap_causes] = {};
  std::uint64_t ops_ns = 0;  // sum of the ops' own times

  std::uint64_t wall_ns() const { return end_ns - begin_ns; }
  std::uint64_t gap() const;
  double median_step_ns() const;
};

Analysis analyse(const Recording& recording);

// What recording cost, as a share of the recorded time; negative: not known.
double recording_share(const Recording& recording);

}  // namespace weft::profile
