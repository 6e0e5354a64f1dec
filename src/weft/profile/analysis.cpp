#include <weft/profile/analysis.h>

#include <algorithm>
#include <numeric>

#include <weft/profile/analyse.h>

namespace weft::profile {

namespace {

template <std::size_t size>
std::uint64_t sum(const std::uint64_t (&parts)[size]) {
  return std::accumulate(std::begin(parts), std::end(parts), std::uint64_t{0});
}

}  // namespace

std::string_view name(Bound bound) {
  switch (bound) {
    case Bound::unknown: return "";
    case Bound::compute: return "compute";
    case Bound::memory: return "memory";
    case Bound::overhead: return "overhead";
    case Bound::link: return "link";
  }
  return "";
}

std::string_view name(GapCause cause) {
  switch (cause) {
    case GapCause::compile: return "compile";
    case GapCause::checkpoint: return "checkpoint";
    case GapCause::hashing: return "hashing";
    case GapCause::validation: return "validation";
    case GapCause::input: return "input";
    case GapCause::transfer: return "transfer";
    case GapCause::launch: return "launch";
    case GapCause::host: return "host";
    case GapCause::disturbance: return "disturbance";
  }
  return "";
}

std::string_view name(SlowCause cause) {
  switch (cause) {
    case SlowCause::validation: return "validation";
    case SlowCause::first_run: return "first_run";
    case SlowCause::contention: return "contention";
    case SlowCause::stolen: return "stolen";
    case SlowCause::fallback: return "fallback";
  }
  return "";
}

std::uint64_t Period::gap() const { return sum(gap_ns); }
std::uint64_t Period::slow() const { return sum(slow_ns); }
std::uint64_t Analysis::gap() const { return sum(gap_ns); }

Spread Analysis::step_spread() const {
  std::vector<std::uint64_t> walls;
  for (const StepStats& step : steps) walls.push_back(step.wall_ns());
  return spread_of(std::move(walls));
}

double Analysis::mean_step_ns() const {
  double sum = 0;
  for (const StepStats& step : steps) sum += step.wall_ns();
  return steps.empty() ? 0 : sum / steps.size();
}

Analysis analyse(const Recording& recording) {
  Analysis analysis;
  analysis.ops = op_stats(recording);
  add_steps(recording, analysis);
  add_slowness(recording, analysis);
  add_communication(recording, analysis);
  std::uint64_t so_far = 0;
  const double busy = std::max<std::uint64_t>(analysis.busy_ns, 1);
  for (OpStats& op : analysis.ops) {
    so_far += op.self_ns;
    op.share = op.self_ns / busy;
    op.cumulative_share = so_far / busy;
  }
  analysis.ops_ns = so_far;
  return analysis;
}

const Program* longest_program(const Recording& recording, const Analysis& analysis) {
  for (const OpStats& op : analysis.ops)
    if (const auto& program = recording.programs[op.program]; program.description.entry()) return &program;
  return nullptr;
}

double recording_share(const Recording& recording) {
  if (!recording.complete || recording.spans.empty()) return -1;
  std::uint64_t end = 0;
  for (const Span& span : recording.spans) end = std::max(end, span.end_ns);
  return recording.recording_ns / std::max<std::uint64_t>(end - recording.spans.front().begin_ns, 1);
}

}  // namespace weft::profile
