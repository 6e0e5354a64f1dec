// Finds the steps, and what the device waited for.
#include <algorithm>
#include <array>
#include <map>

#include <weft/profile/analyse.h>
#include <weft/profile/intervals.h>

namespace weft::profile {

namespace {

// When the device was busy, and what it waited for in the rest of the time.
struct Occupation {
  Intervals busy;
  std::array<Intervals, gap_causes> gaps;

  void fill(Period& period) const {
    period.busy_ns = busy.within(period.begin_ns, period.end_ns);
    for (std::size_t i = 0; i < gaps.size(); ++i) period.gap_ns[i] = gaps[i].within(period.begin_ns, period.end_ns);
  }
};

// The time of a gap with several causes counts for the first of them.
Occupation occupation(const Recording& recording, const Interval& all) {
  Occupation found;
  found.busy = of_category(recording, "device");
  Intervals left = Intervals({all}).minus(found.busy);
  const auto claim = [&](GapCause cause, const char* category) {
    const Intervals when = of_category(recording, category);
    found.gaps[static_cast<std::size_t>(cause)] = left.intersect(when);
    left = left.minus(when);
  };
  claim(GapCause::compile, "compile");
  claim(GapCause::checkpoint, "checkpoint");
  claim(GapCause::hashing, "hash");
  claim(GapCause::validation, "validation");
  claim(GapCause::input, "input");
  claim(GapCause::transfer, "copy");
  claim(GapCause::launch, "host");
  found.gaps[static_cast<std::size_t>(GapCause::host)] = left;
  return found;
}

// Returns the period from the first to the last recorded event of the process.
Interval whole(const Recording& recording) {
  Interval all{recording.spans.front().begin_ns, 0};
  for (const Span& span : recording.spans) all.end = std::max(all.end, span.end_ns);
  if (!recording.loads.empty()) {
    all.begin = std::min(all.begin, recording.loads.front().time_ns);
    all.end = std::max(all.end, recording.loads.back().time_ns);
  }
  return all;
}

struct HostStep {
  Span span;
  std::uint64_t device_end = 0;
  bool launched = false;
};

// Returns the steps of the host; launches that the host made within a step may end on the device later.
std::vector<HostStep> host_steps(const Recording& recording, const std::map<std::uint64_t, std::uint64_t>& ends) {
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

Intervals of_category(const Recording& recording, std::string_view category) {
  std::vector<Interval> parts;
  for (const Span& span : recording.spans)
    if (recording.category(span) == category) parts.push_back({span.begin_ns, span.end_ns});
  return Intervals(std::move(parts));
}

void add_steps(const Recording& recording, Analysis& analysis) {
  std::map<std::uint64_t, std::uint64_t> ends;  // the ends of launches
  std::vector<HostStep> each_launch;
  for (const Span& span : recording.spans) {
    const std::string& category = recording.category(span);
    if (category == "queue") analysis.queue_ns += span.ns();
    if (category != "device") continue;
    if (each_launch.empty()) analysis.begin_ns = span.begin_ns;
    analysis.end_ns = std::max(analysis.end_ns, span.end_ns);
    ends[span.number] = span.end_ns;
    each_launch.push_back({span, span.end_ns, true});
  }
  analysis.launches = each_launch.size();
  if (each_launch.empty()) return;
  const Interval all = whole(recording);
  const Occupation device = occupation(recording, all);
  const Intervals waits = of_category(recording, "wait");
  Period running{.begin_ns = analysis.begin_ns, .end_ns = analysis.end_ns};
  device.fill(running);
  analysis.busy_ns = running.busy_ns;
  std::ranges::copy(running.gap_ns, analysis.gap_ns);

  auto steps = host_steps(recording, ends);
  analysis.step_source = "step scopes";
  if (steps.empty()) {
    analysis.step_source = "launches";
    steps = std::move(each_launch);
  }
  for (std::size_t s = 1; s < steps.size(); ++s) {
    StepStats step;
    step.number = steps[s].span.number;
    step.begin_ns = steps[s - 1].device_end;
    step.end_ns = steps[s].device_end;
    if (step.end_ns <= step.begin_ns) continue;
    device.fill(step);
    const Span& host = steps[s].span;
    step.host_ns = analysis.step_source == "launches" ? 0 : host.ns() - waits.within(host.begin_ns, host.end_ns);
    analysis.steps.push_back(step);
  }
  analysis.startup = {.begin_ns = all.begin, .end_ns = steps.front().device_end};
  analysis.ending = {.begin_ns = analysis.steps.empty() ? analysis.startup.end_ns : analysis.steps.back().end_ns,
                     .end_ns = all.end};
  device.fill(analysis.startup);
  device.fill(analysis.ending);
}

}  // namespace weft::profile
