#include <weft/profile/measured_schedule.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

constexpr std::size_t shown = 2;  // launches

struct Launch {
  std::uint64_t number = 0, end_ns = 0;
  std::uint64_t launched_ns = 0;  // by the host; 0: unknown
  std::vector<const Span*> ops;
};

// Returns the launches of the programs with an order, by program.
std::map<std::int32_t, std::vector<Launch>> launches_of(const Recording& recording) {
  std::map<std::int32_t, std::map<std::uint64_t, Launch>> found;
  std::map<std::uint64_t, std::uint64_t> launched;
  for (const Span& span : recording.spans) {
    const std::string& category = recording.category(span);
    if (category == "host" && recording.name(span) == "launch") launched[span.number] = span.end_ns;
    if (category != "thunk" || span.op < 0 || span.program < 0 || !recording.programs[span.program].order) continue;
    Launch& launch = found[span.program][span.number];
    launch.number = span.number;
    launch.end_ns = std::max(launch.end_ns, span.end_ns);
    launch.ops.push_back(&span);
  }
  std::map<std::int32_t, std::vector<Launch>> sorted;
  for (auto& [program, launches] : found)
    for (auto& [number, launch] : launches) {
      if (const auto by_host = launched.find(number); by_host != launched.end()) launch.launched_ns = by_host->second;
      sorted[program].push_back(std::move(launch));
    }
  return sorted;
}

std::uint64_t total_ns(const std::vector<Launch>& launches) {
  std::uint64_t ns = 0;
  for (const Launch& launch : launches)
    for (const Span* op : launch.ops) ns += op->ns();
  return ns;
}

// Returns the first of the launches to show: they and their neighbours ran, and they took the median time.
std::size_t first_shown(const std::vector<Launch>& launches) {
  std::vector<std::pair<std::uint64_t, std::size_t>> times;
  for (std::size_t i = 1; i + shown < launches.size(); ++i)
    times.emplace_back(
        launches[i + shown - 1].end_ns - std::min(launches[i + shown - 1].end_ns, launches[i - 1].end_ns), i);
  const auto median = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, median);
  return median->second;
}

class Chart {
 public:
  Chart(const Recording& recording, std::int32_t program)
      : recording_(recording), program_(recording.programs[program]), origin_ns_(recording.spans.front().begin_ns) {
    made_.program = program;
  }

  MeasuredSchedule of(const std::vector<Launch>& launches) {
    const std::size_t first = first_shown(launches);
    for (std::size_t i = first - 1; i <= std::min(first + shown, launches.size() - 1); ++i) add(launches[i], i);
    made_.chart.begin_us = us(launches[first - 1].end_ns);
    made_.chart.end_us = us(launches[first + shown - 1].end_ns);
    return std::move(made_);
  }

 private:
  double us(std::uint64_t ns) const { return 1e-3 * static_cast<double>(ns - std::min(ns, origin_ns_)); }

  void add(const Launch& launch, std::size_t index) {
    std::map<std::uint32_t, std::int32_t> bar_of;  // op
    for (const Span* span : launch.ops) {
      const auto op = static_cast<std::uint32_t>(span->op);
      const runtime::ThunkInfo& info = program_.ops[op].info;
      GanttBar bar{.lane = recording_.threads[span->thread],
                   .what = info.source.empty() ? info.name : info.name + " of " + info.source,
                   .batch = static_cast<std::int64_t>(index) + (program_.order->is_ahead[op] ? 1 : 0),
                   .begin_us = us(span->begin_ns),
                   .end_us = us(span->end_ns),
                   .op = span->op,
                   .thread = span->thread};
      (info.category == "collective" ? made_.communicating : made_.computing) = bar.lane;
      const auto later = [&](std::int32_t candidate) {
        if (candidate >= 0 && (bar.after < 0 || end_us(candidate) > end_us(bar.after))) bar.after = candidate;
      };
      const auto wait_for = [&](const std::vector<std::uint32_t>& ops,
                                const std::map<std::uint32_t, std::int32_t>& bars) {
        for (const std::uint32_t awaited : ops)
          if (const auto found = bars.find(awaited); found != bars.end()) later(found->second);
      };
      if (const auto before = last_.find(span->thread); before != last_.end()) later(before->second);
      wait_for(program_.order->after[op], bar_of);
      wait_for(program_.order->after_last[op], before_);
      // The host was later than everything that the operation depends on.
      if (bar.after >= 0 && us(launch.launched_ns) > end_us(bar.after)) bar.after = -1;
      last_[span->thread] = bar_of[op] = static_cast<std::int32_t>(made_.chart.bars.size());
      made_.chart.bars.push_back(std::move(bar));
    }
    before_ = std::move(bar_of);
  }

  double end_us(std::int32_t bar) const { return made_.chart.bars[bar].end_us; }

  const Recording& recording_;
  const Program& program_;
  const std::uint64_t origin_ns_;
  MeasuredSchedule made_;
  std::map<std::uint32_t, std::int32_t> last_;    // bar of each thread
  std::map<std::uint32_t, std::int32_t> before_;  // bar of each op in the launch before
};

}  // namespace

std::optional<MeasuredSchedule> measured_schedule(const Recording& recording) {
  const auto all = launches_of(recording);
  const std::pair<const std::int32_t, std::vector<Launch>>* longest = nullptr;
  for (const auto& of_program : all)
    if (of_program.second.size() >= shown + 2 && (!longest || total_ns(of_program.second) > total_ns(longest->second)))
      longest = &of_program;
  if (!longest) return std::nullopt;
  return Chart(recording, longest->first).of(longest->second);
}

std::string schedule_text(const Recording& recording) {
  const auto schedule = measured_schedule(recording);
  if (!schedule) return {};
  return concat("\nschedule of ", shown, " steps of ", printable(recording.programs[schedule->program].name),
                "; a digit is the last one of the batch\n", gantt(schedule->chart, schedule->computing));
}

nlohmann::json schedule_json(const Recording& recording) {
  using nlohmann::json;
  const auto schedule = measured_schedule(recording);
  if (!schedule) return {};
  const GanttChart& chart = schedule->chart;
  const std::vector<std::string> lanes = chart.lanes();
  const std::vector<std::size_t> path = critical_path(chart);
  const auto ns = [&](double us) { return std::llround(1e3 * (us - chart.begin_us)); };
  const auto lane_of = [&](const GanttBar& bar) { return std::ranges::find(lanes, bar.lane) - lanes.begin(); };
  std::vector<std::int32_t> place(chart.bars.size(), -1);  // among those that are shown
  json bars = json::array(), waits = json::array();
  std::set<std::int64_t> batches;
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const GanttBar& bar = chart.bars[i];
    if (bar.end_us <= chart.begin_us || bar.begin_us >= chart.end_us) continue;
    place[i] = static_cast<std::int32_t>(bars.size());
    batches.insert(bar.batch);
    bars.push_back({lane_of(bar), ns(bar.begin_us), ns(bar.end_us) - ns(bar.begin_us), bar.op, bar.batch,
                    bar.after < 0 ? -1 : place[bar.after], std::ranges::binary_search(path, i)});
  }
  for (const std::string& lane : lanes)
    for (const Bubble& bubble : bubbles(chart, lane)) {
      const GanttBar& bar = chart.bars[bubble.before];
      waits.push_back({lane_of(bar), ns(bubble.begin_us), ns(bubble.end_us) - ns(bubble.begin_us),
                       bar.after < 0 ? chart.otherwise : chart.bars[bar.after].what});
    }
  return {{"program", schedule->program}, {"length", ns(chart.end_us)}, {"batches", batches}, {"lanes", lanes},
          {"bars", std::move(bars)},      {"bubbles", std::move(waits)}};
}

}  // namespace weft::profile
