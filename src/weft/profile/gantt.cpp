#include <weft/profile/gantt.h>

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace weft::profile {

namespace {

// Returns the lane's bars that lie between the times, in order.
std::vector<const GanttBar*> bars_of(const std::string& lane, const std::vector<GanttBar>& bars, double begin_us,
                                     double end_us) {
  std::vector<const GanttBar*> found;
  for (const GanttBar& bar : bars)
    if (bar.lane == lane && bar.end_us > begin_us && bar.begin_us < end_us) found.push_back(&bar);
  std::ranges::stable_sort(found, {}, &GanttBar::begin_us);
  return found;
}

std::string drawn(const std::vector<const GanttBar*>& bars, double begin_us, double end_us, int columns) {
  std::string line;
  const double width = (end_us - begin_us) / columns;
  for (int column = 0; column < columns; ++column) {
    const double from = begin_us + column * width, to = from + width;
    std::map<std::int64_t, double> time;  // by batch
    double busy = 0;
    for (const GanttBar* bar : bars) {
      const double within = std::min(to, bar->end_us) - std::max(from, bar->begin_us);
      if (within <= 0) continue;
      busy += within;
      time[bar->batch] += within;
    }
    const auto most = std::ranges::max_element(time, {}, [](const auto& entry) { return entry.second; });
    line += busy < width / 2 ? '.' : static_cast<char>('0' + most->first % 10);
  }
  return line;
}

struct Bubble {
  std::string waits_for;
  double us = 0;
};

// Returns the times in which a lane waits for another operation, by operation.
std::vector<Bubble> bubbles(const std::vector<const GanttBar*>& bars, double begin_us) {
  std::vector<Bubble> found;
  double last_us = begin_us;
  for (const GanttBar* bar : bars) {
    const double us = bar->begin_us - last_us;
    last_us = std::max(last_us, bar->end_us);
    if (us <= 0 || bar->waited_for.empty()) continue;
    const auto same = std::ranges::find(found, bar->waited_for, &Bubble::waits_for);
    if (same == found.end()) {
      found.push_back({bar->waited_for, us});
    } else {
      same->us += us;
    }
  }
  return found;
}

}  // namespace

std::string gantt(const std::vector<GanttBar>& bars, double begin_us, double end_us, const std::string& waits_of,
                  int columns) {
  std::vector<std::string> lanes;
  for (const GanttBar& bar : bars)
    if (std::ranges::find(lanes, bar.lane) == lanes.end()) lanes.push_back(bar.lane);
  std::string text;
  std::vector<Bubble> waits;
  for (const std::string& lane : lanes) {
    const std::vector<const GanttBar*> of_lane = bars_of(lane, bars, begin_us, end_us);
    text += fmt::format("  {:<14}{}\n", lane, drawn(of_lane, begin_us, end_us, columns));
    if (lane == waits_of) waits = bubbles(of_lane, begin_us);
  }
  text += fmt::format("  {:<14}{:<{}}{:.1f} ms\n", "", "0", columns - 8, 1e-3 * (end_us - begin_us));
  std::ranges::stable_sort(waits, std::greater(), &Bubble::us);
  constexpr std::size_t most = 4;
  if (waits.size() > most) waits.resize(most);
  for (const Bubble& bubble : waits)
    if (bubble.us >= 1e-3 * (end_us - begin_us))
      text += fmt::format("  {} waits {:.2f} ms for {}\n", waits_of, 1e-3 * bubble.us, bubble.waits_for);
  return text;
}

}  // namespace weft::profile
