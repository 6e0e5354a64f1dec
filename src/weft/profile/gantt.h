// A Gantt chart of a schedule: what each stream does over time, for which batch, what it waits for, and the critical path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::profile {

struct GanttBar {
  std::string lane = {};  // the stream: compute, communication
  std::string what = {};  // the operation, with its place
  std::int64_t batch = 0;
  double begin_us = 0, end_us = 0;
  // The bar after which it could begin: the last one that it depends on, or the one before on its lane. -1: it waited for something else.
  std::int32_t after = -1;
  std::int32_t op = -1;      // of the program that was recorded
  std::uint32_t thread = 0;  // that ran it
};

struct GanttChart {
  std::vector<GanttBar> bars;          // by lane in the order of time
  double begin_us = 0, end_us = 0;     // the time that is shown
  std::string otherwise = "the host";  // what bars wait for that wait for no other bar

  std::vector<std::string> lanes() const;  // in the order of the bars
};

// A time in which a lane does nothing until a bar begins.
struct Bubble {
  std::size_t before = 0;  // the bar
  double begin_us = 0, end_us = 0;
};
std::vector<Bubble> bubbles(const GanttChart& chart, const std::string& lane);

// Returns the bars of the critical path within the time that is shown, in order: each is the one after which the next could begin, and the
// last is the last one to end.
std::vector<std::size_t> critical_path(const GanttChart& chart);

// Draws the chart as text, `columns` characters wide. A character is the last digit of the batch that has the most of its time, or a dot if
// nothing runs. Below stands for which operations the lane `waits_of` waits, the longest times first, and what the critical path consists of.
std::string gantt(const GanttChart& chart, const std::string& waits_of, int columns = 100);

}  // namespace weft::profile
