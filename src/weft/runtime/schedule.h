// Which thunks of an executable run on which stream, and what each waits for: the graph of its thunks, derived once from what they
// read and write. An executable whose thunks all run on the compute stream needs none: their order says everything.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <weft/runtime/executable.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

struct Schedule {
  // Until a part has done so many of its tasks.
  struct Wait {
    std::uint32_t part = 0, tasks = 0;
    friend bool operator==(const Wait&, const Wait&) = default;
  };
  struct Task {
    std::uint32_t thunk = 0;
    std::vector<Wait> waits = {};                 // for other parts
    std::vector<std::uint32_t> allocations = {};  // that no earlier task of the part touches
    bool is_awaited = false;                      // something waits until this task is done
  };
  // The thunks of one stream, in the executable's order.
  struct Part {
    StreamKind stream = StreamKind::compute;
    std::vector<Task> tasks = {};
  };
  // Outputs that are there at the same moment: when everything that touches them is done.
  struct Group {
    std::vector<std::uint32_t> outputs;
    std::vector<Wait> waits;
  };

  std::vector<Part> parts;  // the first is the compute stream's
  std::vector<Group> groups;
  // The inputs and outputs that no task touches. The first part sees to them in the end, as one task more: an error that such an input
  // carries is the launch's all the same.
  std::vector<std::uint32_t> untouched;

  bool is_on_one_stream() const { return parts.size() == 1; }
};

// Derives the schedule from the thunks' streams. A thunk of another stream than the compute stream which nothing could run beside
// stays on the compute stream, unless it has a side effect: handing it over would cost time and gain none.
std::shared_ptr<const Schedule> schedule(const Executable& executable);

// The same for an executable to be finished; null where all of its thunks run on the compute stream.
std::shared_ptr<const Schedule> schedule_streams(const Executable& executable);

// Schedules of executables that have none of their own, made when they are first needed. Not thread-safe.
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
