// A Gantt chart of a schedule as text: what each stream does over time, for which batch, and what it waits for.
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
  std::string waited_for = {};  // the operation for whose end it waited; empty: none
};

// Draws the bars between two times, `columns` characters wide. A character is the last digit of the batch that has the most of its time, or
// a dot if nothing runs. Below stand the times in which the lane `waits_of` waits for others, by what for, the longest first.
std::string gantt(const std::vector<GanttBar>& bars, double begin_us, double end_us,
                  const std::string& waits_of = "compute", int columns = 100);

}  // namespace weft::profile
