// A Schedule tells which thunks of an executable run on which stream, and what each waits for: the dependency graph of its
// thunks, derived once from what they read and write. An executable whose thunks all run on the compute stream needs none,
// because they run in order.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <weft/runtime/executable.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

struct Schedule {
  // Waits until a part has done `tasks` of its tasks.
  struct Wait {
    std::uint32_t part = 0, tasks = 0;
    friend bool operator==(const Wait&, const Wait&) = default;
  };
  struct Task {
    std::uint32_t thunk = 0;
    std::vector<Wait> waits = {};                 // for other parts
    std::vector<std::uint32_t> allocations = {};  // allocations that no earlier task of the part touches
    bool is_awaited = false;                      // something waits until this task is done
  };
  // The thunks of one stream, in the executable's order.
  struct Part {
    StreamKind stream = StreamKind::compute;
    std::vector<Task> tasks = {};
  };
  // Outputs that are complete at the same moment: when everything that touches them is done.
  struct Group {
    std::vector<std::uint32_t> outputs;
    std::vector<Wait> waits;
  };

  std::vector<Part> parts;  // the first is the compute stream's
  std::vector<Group> groups;
  // The inputs and outputs that no task touches. The first part handles them at its end, as an additional task: an error that
  // such an input carries is still an error of the launch.
  std::vector<std::uint32_t> untouched;

  bool is_on_one_stream() const { return parts.size() == 1; }
};

// Derives the schedule from the thunks' streams. A thunk of another stream stays on the compute stream if nothing could run
// concurrently with it and it has no side effect: passing it to another stream would only cost time.
std::shared_ptr<const Schedule> schedule(const Executable& executable);

// Does the same for an executable that is not finished; returns null if all of its thunks run on the compute stream.
std::shared_ptr<const Schedule> schedule_streams(const Executable& executable);

// Schedules of executables that have none of their own, made at first use. Not thread-safe.
class ScheduleCache {
 public:
  std::shared_ptr<const Schedule> get(const std::shared_ptr<const Executable>& executable);

 private:
  struct Entry {
    std::weak_ptr<const Executable> executable;
    std::shared_ptr<const Schedule> schedule;
  };
  std::unordered_map<const Executable*, Entry> entries_;
};

}  // namespace weft::runtime
