// Finds how much longer than necessary the device took for its programs.
#include <algorithm>
#include <map>
#include <vector>

#include <weft/profile/analyse.h>
#include <weft/profile/intervals.h>
#include <weft/profile/load_curve.h>

namespace weft::profile {

namespace {

// An execution of a program, and the time it took beyond what the program usually takes.
struct Execution {
  std::uint64_t begin_ns = 0, end_ns = 0;
  double first_run_ns = 0;  // for the program's first execution: time beyond its median
  double excess_ns = 0;     // time beyond its fastest execution

  double ns() const { return end_ns - begin_ns; }
};

using Executions = std::vector<Execution>;  // of one program, in order

void find_excess(Executions& executions) {
  if (executions.size() < 2) return;
  std::vector<std::uint64_t> later;
  for (std::size_t i = 1; i < executions.size(); ++i) later.push_back(executions[i].end_ns - executions[i].begin_ns);
  const Spread usual = spread_of(std::move(later));
  for (Execution& execution : executions) {
    if (&execution == &executions.front()) execution.first_run_ns = std::max(0.0, execution.ns() - usual.median);
    execution.excess_ns = std::max(0.0, execution.ns() - execution.first_run_ns - usual.least);
  }
}

// Returns executions sorted by their ends. Executions within validations are left out, because their time counts as validation.
Executions executions(const Recording& recording, const Intervals& validations) {
  std::map<std::int32_t, Executions> by_program;
  for (const Span& span : recording.spans)
    if (recording.category(span) == "device" && validations.within(span.begin_ns, span.end_ns) == 0)
      by_program[span.program].push_back({.begin_ns = span.begin_ns, .end_ns = span.end_ns});
  Executions all;
  for (auto& [program, list] : by_program) {
    find_excess(list);
    all.insert(all.end(), list.begin(), list.end());
  }
  std::ranges::sort(all, {}, &Execution::end_ns);
  return all;
}

Intervals fallbacks(const Recording& recording) {
  std::vector<Interval> parts;
  for (const Span& span : recording.spans) {
    if (span.op < 0) continue;
    const Program& program = recording.programs[span.program];
    if (program.ops[span.op].info.category.starts_with("host")) parts.push_back({span.begin_ns, span.end_ns});
  }
  return Intervals(std::move(parts));
}

std::uint64_t& waiting_gap(Period& period, GapCause cause) { return period.gap_ns[static_cast<int>(cause)]; }

std::uint64_t host_gaps(const Period& period) {
  return period.gap_for(GapCause::launch) + period.gap_for(GapCause::host);
}

class Slowness {
 public:
  explicit Slowness(const Recording& recording)
      : validations_(of_category(recording, "validation").intersect(of_category(recording, "device"))),
        fallbacks_(fallbacks(recording)),
        executions_(executions(recording, validations_)),
        load_(recording.loads) {}

  // `usual_gap_ns` is the time that the host needs between two executions when nothing disturbs it.
  void fill(Period& period, double usual_gap_ns) const {
    double first_run = 0, excess = 0;
    for (auto it = std::ranges::upper_bound(executions_, period.begin_ns, {}, &Execution::end_ns);
         it != executions_.end() && it->end_ns <= period.end_ns; ++it) {
      first_run += it->first_run_ns;
      excess += it->excess_ns;
    }
    double waited = load_.growth(&Load::waited_ns, period.begin_ns, period.end_ns);
    double stolen = load_.growth(&Load::stolen_ns, period.begin_ns, period.end_ns);
    const auto claim = [&period](SlowCause cause, double ns) {
      const std::uint64_t claimed = std::min(static_cast<std::uint64_t>(ns), period.computing_ns());
      period.slow_ns[static_cast<int>(cause)] += claimed;
      return static_cast<double>(claimed);
    };
    claim(SlowCause::validation, validations_.within(period.begin_ns, period.end_ns));
    claim(SlowCause::first_run, first_run);
    const double contended = claim(SlowCause::contention, std::min(excess, waited));
    const double taken = claim(SlowCause::stolen, std::min(excess - contended, stolen));
    claim(SlowCause::fallback, fallbacks_.within(period.begin_ns, period.end_ns));
    disturb_gaps(period, usual_gap_ns, waited - contended + stolen - taken);
  }

 private:
  // If a gap is longer than usual while threads wait for a CPU, the machine and not the host causes the excess.
  static void disturb_gaps(Period& period, double usual_gap_ns, double evidence_ns) {
    const double excess = host_gaps(period) - usual_gap_ns;
    std::uint64_t left = std::max(0.0, std::min(excess, evidence_ns));
    for (const GapCause cause : {GapCause::host, GapCause::launch}) {
      const std::uint64_t moved = std::min(left, waiting_gap(period, cause));
      waiting_gap(period, cause) -= moved;
      waiting_gap(period, GapCause::disturbance) += moved;
      left -= moved;
    }
  }

  Intervals validations_, fallbacks_;
  Executions executions_;
  LoadCurve load_;
};

}  // namespace

void add_slowness(const Recording& recording, Analysis& analysis) {
  if (analysis.launches == 0) return;
  const Slowness slowness(recording);
  std::vector<std::uint64_t> gaps;
  for (const StepStats& step : analysis.steps) gaps.push_back(host_gaps(step));
  const double usual_gap_ns = spread_of(std::move(gaps)).p10;
  for (StepStats& step : analysis.steps) slowness.fill(step, usual_gap_ns);
  // For periods that occur only once, the usual gap is unknown, so no gap counts as longer than usual.
  for (Period* period : {&analysis.startup, &analysis.ending}) slowness.fill(*period, host_gaps(*period));
}

}  // namespace weft::profile
