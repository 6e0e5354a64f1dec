#include <weft/profile/gantt.h>

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <weft/base/error.h>

namespace weft::profile {

namespace {

// Returns the lane's bars that are shown, in the order of time.
std::vector<std::size_t> bars_of(const GanttChart& chart, const std::string& lane) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const GanttBar& bar = chart.bars[i];
    if (bar.lane == lane && bar.end_us > chart.begin_us && bar.begin_us < chart.end_us) found.push_back(i);
  }
  std::ranges::stable_sort(found, {}, [&](std::size_t i) { return chart.bars[i].begin_us; });
  return found;
}

std::string drawn(const GanttChart& chart, const std::string& lane, int columns) {
  const std::vector<std::size_t> bars = bars_of(chart, lane);
  std::string line;
  const double width = (chart.end_us - chart.begin_us) / columns;
  for (int column = 0; column < columns; ++column) {
    const double from = chart.begin_us + column * width, to = from + width;
    std::map<std::int64_t, double> time;  // by batch
    double busy = 0;
    for (const std::size_t i : bars) {
      const GanttBar& bar = chart.bars[i];
      const double within = std::min(to, bar.end_us) - std::max(from, bar.begin_us);
      if (within <= 0) continue;
      busy += within;
      time[bar.batch] += within;
    }
    const auto most = std::ranges::max_element(time, {}, [](const auto& entry) { return entry.second; });
    line += busy < width / 2 ? '.' : static_cast<char>('0' + most->first % 10);
  }
  return line;
}

// Adds the times by what they are of, the longest first.
struct Sums {
  void add(const std::string& what, double us) {
    const auto known = std::ranges::find(all, what, &std::pair<std::string, double>::first);
    if (known == all.end()) {
      all.emplace_back(what, us);
    } else {
      known->second += us;
    }
  }
  std::vector<std::pair<std::string, double>> longest(std::size_t most) const {
    std::vector<std::pair<std::string, double>> sorted = all;
    std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, double>::second);
    if (sorted.size() > most) sorted.resize(most);
    return sorted;
  }

  std::vector<std::pair<std::string, double>> all;
};

}  // namespace

std::vector<std::string> GanttChart::lanes() const {
  std::vector<std::string> lanes;
  for (const GanttBar& bar : bars)
    if (std::ranges::find(lanes, bar.lane) == lanes.end()) lanes.push_back(bar.lane);
  return lanes;
}

std::vector<Bubble> bubbles(const GanttChart& chart, const std::string& lane) {
  std::vector<Bubble> found;
  double last_us = chart.begin_us;
  for (const std::size_t i : bars_of(chart, lane)) {
    const GanttBar& bar = chart.bars[i];
    if (bar.begin_us > last_us) found.push_back({i, last_us, bar.begin_us});
    last_us = std::max(last_us, bar.end_us);
  }
  return found;
}

std::vector<std::size_t> critical_path(const GanttChart& chart) {
  std::int32_t last = -1;
  for (std::size_t i = 0; i < chart.bars.size(); ++i)
    if (chart.bars[i].end_us <= chart.end_us && (last < 0 || chart.bars[i].end_us > chart.bars[last].end_us))
      last = static_cast<std::int32_t>(i);
  std::vector<std::size_t> path;
  for (; last >= 0 && chart.bars[last].end_us > chart.begin_us; last = chart.bars[last].after) path.push_back(last);
  std::ranges::reverse(path);
  return path;
}

std::string gantt(const GanttChart& chart, const std::string& waits_of, int columns) {
  constexpr std::size_t most = 4;
  const double all_us = chart.end_us - chart.begin_us, least_us = 1e-3 * all_us;
  std::string text;
  for (const std::string& lane : chart.lanes()) text += fmt::format("  {:<21}{}\n", lane, drawn(chart, lane, columns));
  text += fmt::format("  {:<21}{:<{}}{:.1f} ms\n", "", "0", columns - 8, 1e-3 * all_us);
  Sums waits, on_path;
  for (const Bubble& bubble : bubbles(chart, waits_of)) {
    const GanttBar& bar = chart.bars[bubble.before];
    waits.add(bar.after < 0 ? chart.otherwise : concat(chart.bars[bar.after].what, ", then runs ", bar.what),
              bubble.end_us - bubble.begin_us);
  }
  for (const auto& [what, us] : waits.longest(most))
    if (us >= least_us) text += fmt::format("  {} waits {:.2f} ms for {}\n", waits_of, 1e-3 * us, what);
  for (const std::size_t i : critical_path(chart)) {
    const GanttBar& bar = chart.bars[i];
    on_path.add(bar.lane, bar.end_us - std::max(bar.begin_us, chart.begin_us));
  }
  std::string parts;
  double of_bars_us = 0;
  for (const auto& [lane, us] : on_path.longest(chart.bars.size())) {
    of_bars_us += us;
    parts += fmt::format("{}{:.2f} ms {}", parts.empty() ? "" : ", ", 1e-3 * us, lane);
  }
  if (all_us - of_bars_us >= least_us)
    parts += fmt::format("{}{:.2f} ms between operations", parts.empty() ? "" : ", ", 1e-3 * (all_us - of_bars_us));
  return text + fmt::format("  critical path: {}\n", parts);
}

}  // namespace weft::profile
