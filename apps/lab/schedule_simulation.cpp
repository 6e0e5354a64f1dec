#include <apps/lab/schedule_simulation.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include <weft/compiler/predicted_times.h>
#include <weft/profile/gantt.h>
#include <weft/profile/intervals.h>
#include <weft/runtime/dependencies.h>
#include <weft/runtime/repeated.h>

namespace weft::lab {

namespace {

constexpr std::uint64_t launches = 12, first_counted = 6;

// Returns for each thunk whether it works on the next batch.
std::unordered_map<const runtime::Thunk*, bool> ahead_of(const jit::Pipeline::Steady& program) {
  const runtime::Flow flow = runtime::flow_of(*program.executable);
  std::vector<char> is_ahead;
  std::unordered_map<const runtime::Thunk*, bool> found;
  for (std::size_t t = 0; t < flow.thunks.size(); ++t) {
    const auto is_of_next = [&](std::uint32_t input) { return input >= program.first_ahead; };
    const auto is_known = [&](std::uint32_t thunk) { return is_ahead[thunk] != 0; };
    is_ahead.push_back(std::ranges::any_of(flow.thunks[t].inputs, is_of_next) ||
                       std::ranges::any_of(flow.thunks[t].thunks, is_known));
    found[program.executable->thunks[t].get()] = is_ahead.back() != 0;
  }
  return found;
}

std::string described(const runtime::Thunk& thunk) {
  return thunk.info.source.empty() ? thunk.info.name : thunk.info.name + " of " + thunk.info.source;
}

}  // namespace

SimulatedSchedule simulate_schedule(const jit::Pipeline::Steady& program) {
  const auto is_collective = [](const runtime::Thunk& thunk) {
    return thunk.stream == runtime::StreamKind::communication;
  };
  const auto ahead = ahead_of(program);
  std::vector<profile::GanttBar> bars;
  std::vector<profile::Interval> communicating, computing;
  std::array<const runtime::Thunk*, runtime::stream_kinds> last = {};  // of each stream
  const auto ran = [&](const runtime::PredictedRun& run) {
    const runtime::Thunk* const before = std::exchange(last[static_cast<std::size_t>(run.stream)], &run.thunk);
    const runtime::Thunk* const waited_for = run.waited_for                     ? run.waited_for
                                             : before && is_collective(*before) ? before
                                                                                : nullptr;
    if (run.launch >= first_counted) {
      const auto ns = [](double us) { return static_cast<std::uint64_t>(1e3 * us); };
      (is_collective(run.thunk) ? communicating : computing).push_back({ns(run.begin_us), ns(run.end_us)});
    }
    bars.push_back({.lane = is_collective(run.thunk) ? "communication" : "compute",
                    .what = described(run.thunk),
                    .batch = static_cast<std::int64_t>(run.launch) + (ahead.at(&run.thunk) ? 1 : 0),
                    .begin_us = run.begin_us,
                    .end_us = run.end_us,
                    .waited_for = waited_for ? described(*waited_for) : std::string()});
  };
  const std::vector<double> ends =
      runtime::repeat(*program.executable, program.carried, launches, compiler::predicted_us, ran);
  SimulatedSchedule made;
  // The devices of a process share its compute stream, and exchanges wait for all of them.
  const double devices = program.executable->devices;
  const auto together_us = [&](const runtime::Thunk& thunk) {
    return is_collective(thunk) ? compiler::predicted_us(thunk) : devices * compiler::predicted_us(thunk);
  };
  runtime::CriticalPath path = runtime::critical_path(*program.executable, program.carried, together_us);
  path.compute_us /= devices;
  made.critical_path_ms = 1e-3 * path.period_us();
  constexpr auto counted = static_cast<double>(launches - first_counted);
  made.step_ms = 1e-3 * (ends[launches - 1] - ends[first_counted - 1]) / counted;
  const profile::Intervals hidden(std::move(computing)), all(std::move(communicating));
  for (const profile::Interval& part : all.parts())
    made.exposed_ms +=
        1e-6 * static_cast<double>(part.end - part.begin - hidden.within(part.begin, part.end)) / counted;
  made.gantt = profile::gantt(bars, ends[first_counted], ends[first_counted + 2]);
  return made;
}

}  // namespace weft::lab
