// Steps, and what the device waited for.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include <weft/profile/analyse.h>
#include <weft/profile/intervals.h>

namespace weft::profile {

namespace {

Intervals of_category(const Recording& recording, std::string_view category, std::string_view name = {}) {
  std::vector<Interval> parts;
  for (const Span& span : recording.spans)
    if (recording.category(span) == category && (name.empty() || recording.name(span) == name))
      parts.push_back({span.begin_ns, span.end_ns});
  return Intervals(std::move(parts));
}

// The gaps of the device, by cause: what several causes claim is the first one's.
std::array<Intervals, gap_causes> causes_of_gaps(const Recording& recording, const Analysis& analysis,
                                                 const Intervals& busy) {
  Intervals left = Intervals({{analysis.begin_ns, analysis.end_ns}}).minus(busy);
  std::array<Intervals, gap_causes> causes;
  const auto claim = [&](GapCause cause, const Intervals& when) {
    causes[static_cast<std::size_t>(cause)] = left.intersect(when);
    left = left.minus(when);
  };
  claim(GapCause::compile, of_category(recording, "compile"));
  claim(GapCause::input, of_category(recording, "input"));
  claim(GapCause::transfer, of_category(recording, "copy"));
  claim(GapCause::launch, of_category(recording, "host"));
  causes[static_cast<std::size_t>(GapCause::host)] = left;
  return causes;
}

struct HostStep {
  Span span;
  std::uint64_t device_end = 0;
  bool launched = false;
};

// The launches that the host made within each step end on the device later.
std::vector<HostStep> host_steps(const Recording& recording,
                                 const std::unordered_map<std::uint64_t, std::uint64_t>& ends) {
  std::vector<HostStep> steps;
  std::map<std::uint32_t, std::size_t> open;  // the last step of each thread
  for (const Span& span : recording.spans) {
    if (recording.category(span) == "step") {
      open[span.thread] = steps.size();
      steps.push_back({span});
    } else if (recording.category(span) == "host" && recording.name(span) == "launch") {
      const auto step = open.find(span.thread);
      const auto end = ends.find(span.number);
      if (step == open.end() || end == ends.end()) continue;
      HostStep& of = steps[step->second];
      if (span.begin_ns >= of.span.end_ns) continue;
      of.device_end = std::max(of.device_end, end->second);
      of.launched = true;
    }
  }
  std::erase_if(steps, [](const HostStep& step) { return !step.launched; });
  return steps;
}

}  // namespace

void add_steps(const Recording& recording, Analysis& analysis) {
  std::unordered_map<std::uint64_t, std::uint64_t> ends;  // of launches
  std::vector<Interval> launches;
  std::vector<HostStep> each_launch;
  for (const Span& span : recording.spans) {
    const std::string& category = recording.category(span);
    if (category == "queue") analysis.queue_ns += span.ns();
    if (category != "device") continue;
    launches.push_back({span.begin_ns, span.end_ns});
    ends[span.number] = span.end_ns;
    each_launch.push_back({span, span.end_ns, true});
  }
  analysis.launches = launches.size();
  if (launches.empty()) return;
  analysis.begin_ns = launches.front().begin;
  for (const Interval& launch : launches) analysis.end_ns = std::max(analysis.end_ns, launch.end);
  const Intervals busy(std::move(launches)), waits = of_category(recording, "wait");
  analysis.busy_ns = busy.within(analysis.begin_ns, analysis.end_ns);
  const auto causes = causes_of_gaps(recording, analysis, busy);
  for (std::size_t i = 0; i < causes.size(); ++i)
    analysis.gap_ns[i] = causes[i].within(analysis.begin_ns, analysis.end_ns);

  auto steps = host_steps(recording, ends);
  analysis.step_source = "step scopes";
  if (steps.empty()) {
    analysis.step_source = "launches";
    steps = std::move(each_launch);
  }
  for (std::size_t s = 1; s < steps.size(); ++s) {
    StepStats step{.number = steps[s].span.number, .begin_ns = steps[s - 1].device_end, .end_ns = steps[s].device_end};
    if (step.end_ns <= step.begin_ns) continue;
    step.busy_ns = busy.within(step.begin_ns, step.end_ns);
    for (std::size_t i = 0; i < causes.size(); ++i) step.gap_ns[i] = causes[i].within(step.begin_ns, step.end_ns);
    const Span& host = steps[s].span;
    step.host_ns = analysis.step_source == "launches" ? 0 : host.ns() - waits.within(host.begin_ns, host.end_ns);
    analysis.steps.push_back(step);
  }
}

}  // namespace weft::profile
