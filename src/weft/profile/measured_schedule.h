// The schedule of a program as it ran on the streams of a device.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <weft/profile/gantt.h>
#include <weft/profile/recording.h>

namespace weft::profile {

struct MeasuredSchedule {
  std::int32_t program = -1;
  GanttChart chart;                      // of two steps that took about as long as most
  std::string computing, communicating;  // the lanes; empty: there is none
};

// Returns the schedule of the program that took the most time among those that use several streams; nullopt if there is none, or if it ran too
// few times.
std::optional<MeasuredSchedule> measured_schedule(const Recording& recording);

// Returns the chart as text; empty if there is no such schedule.
std::string schedule_text(const Recording& recording);
// Returns {program, length, batches, lanes, bars: [[lane, begin, ns, op, batch, after, is_critical]], bubbles: [[lane, begin, ns, what is awaited]]}
// in nanoseconds; `after` is a bar, -1 if it is not shown. null if there is no such schedule.
nlohmann::json schedule_json(const Recording& recording);

}  // namespace weft::profile
