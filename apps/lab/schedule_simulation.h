// Replays a pipeline whose operations take as long as the compiler predicts: what a schedule gives where nothing
// disturbs it, the same in every run.
#pragma once

#include <string>

#include <weft/runtime/executable.h>

namespace weft::lab {

struct SimulatedSchedule {
  double step_ms = 0, exposed_ms = 0;
  double critical_path_ms = 0;  // no order of the operations is faster
  std::string gantt;            // of two steps
};

// `steady` runs again and again, and knows what its launches give to each other.
SimulatedSchedule simulate_schedule(const runtime::Executable& steady);

}  // namespace weft::lab
