#include <apps/lab/schedule_simulation.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <weft/compiler/predicted_times.h>
#include <weft/profile/gantt.h>
#include <weft/profile/intervals.h>
#include <weft/profile/program_order.h>
#include <weft/runtime/critical_path.h>
#include <weft/runtime/repeated.h>

namespace weft::lab {

namespace {

constexpr std::uint64_t launches = 12, first_counted = 6;

std::string described(const runtime::Thunk& thunk) {
  return thunk.info.source.empty() ? thunk.info.name : thunk.info.name + " of " + thunk.info.source;
}

}  // namespace

SimulatedSchedule simulate_schedule(const runtime::Executable& steady) {
  const auto is_collective = [](const runtime::Thunk& thunk) {
    return thunk.stream == runtime::StreamKind::communication;
  };
  const profile::ProgramOrder order = profile::order_of(steady);
  std::unordered_map<const runtime::Thunk*, std::size_t> number;
  for (std::size_t t = 0; t < steady.thunks.size(); ++t) number[steady.thunks[t].get()] = t;
  profile::GanttChart chart;
  std::vector<profile::Interval> communicating, computing;
  std::map<std::pair<std::uint64_t, const runtime::Thunk*>, std::int32_t> bar_of;  // of each launch
  std::array<std::int32_t, runtime::stream_kinds> last;                            // bar of each stream
  last.fill(-1);
  const auto ran = [&](const runtime::PredictedRun& run) {
    if (run.launch >= first_counted) {
      const auto ns = [](double us) { return static_cast<std::uint64_t>(1e3 * us); };
      (is_collective(run.thunk) ? communicating : computing).push_back({ns(run.begin_us), ns(run.end_us)});
    }
    const auto bar = static_cast<std::int32_t>(chart.bars.size());
    const std::int32_t before = std::exchange(last[static_cast<std::size_t>(run.stream)], bar);
    const std::size_t thunk = number.at(&run.thunk);
    chart.bars.push_back({.lane = is_collective(run.thunk) ? "communication" : "compute",
                          .what = described(run.thunk),
                          .batch = static_cast<std::int64_t>(run.launch) + (order.is_ahead[thunk] ? 1 : 0),
                          .begin_us = run.begin_us,
                          .end_us = run.end_us,
                          .after = run.waited_for ? bar_of.at({run.waited_for_launch, run.waited_for}) : before,
                          .op = static_cast<std::int32_t>(thunk)});
    bar_of[{run.launch, &run.thunk}] = bar;
  };
  const std::vector<double> ends = runtime::repeat(steady, launches, compiler::predicted_us, ran);
  SimulatedSchedule made;
  // The devices of a process share its compute stream, and exchanges wait for all of them.
  const double devices = steady.devices;
  const auto together_us = [&](const runtime::Thunk& thunk) {
    return is_collective(thunk) ? compiler::predicted_us(thunk) : devices * compiler::predicted_us(thunk);
  };
  runtime::CriticalPath path = runtime::critical_path(steady, together_us);
  path.compute_us /= devices;
  made.critical_path_ms = 1e-3 * path.period_us();
  constexpr auto counted = static_cast<double>(launches - first_counted);
  made.step_ms = 1e-3 * (ends[launches - 1] - ends[first_counted - 1]) / counted;
  const profile::Intervals hidden(std::move(computing)), all(std::move(communicating));
  for (const profile::Interval& part : all.parts())
    made.exposed_ms +=
        1e-6 * static_cast<double>(part.end - part.begin - hidden.within(part.begin, part.end)) / counted;
  chart.begin_us = ends[first_counted];
  chart.end_us = ends[first_counted + 2];
  made.gantt = profile::gantt(chart, "compute");
  return made;
}

}  // namespace weft::lab
