#include <weft/runtime/schedule.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>

#include <weft/runtime/dependencies.h>

namespace weft::runtime {

namespace {

// Chooses the stream of each thunk.
std::vector<StreamKind> streams(const Executable& executable, const std::vector<std::vector<std::uint32_t>>& after) {
  const std::size_t count = executable.thunks.size();
  std::vector<StreamKind> result(count);
  for (std::size_t t = 0; t < count; ++t) result[t] = executable.thunks[t]->stream;
  const auto computes = [&](std::size_t t) { return result[t] == StreamKind::compute; };
  // For each stream: one more than the last thunk that keeps it, and one more than the last one for which the compute stream has waited.
  std::array<std::size_t, stream_kinds> kept{}, awaited{};
  for (std::size_t t = 0; t < count; ++t) {
    const auto stream = static_cast<std::size_t>(result[t]);
    for (const std::uint32_t earlier : after[t]) {
      std::size_t& until = awaited[static_cast<std::size_t>(result[earlier])];
      if (computes(t) || result[earlier] == result[t]) until = std::max<std::size_t>(until, earlier + 1);
    }
    if (computes(t)) continue;
    if (executable.thunks[t]->has_side_effect ||
        kept[stream] > awaited[stream]) {  // no two thunks of a stream run at once
      kept[stream] = t + 1;
      continue;
    }
    // A thunk keeps its stream if the compute stream has other work before the first thunk that needs this one, or if this one
    // can begin before the preceding work of the compute stream ends, in this launch or in the one before.
    std::size_t before = t, next = t + 1;
    while (before > 0 && !computes(before - 1)) --before;
    while (next < count && !computes(next)) ++next;
    const bool needs_the_last = before > 0 && std::ranges::find(after[t], before - 1) != after[t].end();
    const bool is_needed_next = next < count && std::ranges::find(after[next], t) != after[next].end();
    if (needs_the_last && is_needed_next) {
      result[t] = StreamKind::compute;
    } else {
      kept[stream] = t + 1;
    }
  }
  return result;
}

class Maker {
 public:
  explicit Maker(const Executable& executable)
      : executable_(executable), after_(dependencies(executable)), streams_(streams(executable, after_)) {}

  Schedule make() {
    part_of(StreamKind::compute);
    for (std::uint32_t t = 0; t < executable_.thunks.size(); ++t) add(t);
    add_untouched();
    group_outputs();
    for (const Schedule::Part& part : schedule_.parts)
      for (const Schedule::Task& task : part.tasks) mark(task.waits);
    for (const Schedule::Group& group : schedule_.groups) mark(group.waits);
    return std::move(schedule_);
  }

 private:
  struct Place {
    std::uint32_t part, tasks;  // the number of tasks of the part up to and including the thunk
  };

  std::uint32_t part_of(StreamKind stream) {
    const auto found = std::ranges::find(schedule_.parts, stream, &Schedule::Part::stream);
    if (found != schedule_.parts.end()) return found - schedule_.parts.begin();
    schedule_.parts.push_back({.stream = stream});
    waited_.emplace_back();
    touched_.emplace_back(executable_.allocations.size());
    return schedule_.parts.size() - 1;
  }

  void add(std::uint32_t t) {
    const std::uint32_t p = part_of(streams_[t]);
    Schedule::Task task{.thunk = t};
    std::map<std::uint32_t, std::uint32_t> needed;  // how far each other part must be
    for (const std::uint32_t earlier : after_[t])
      if (places_[earlier].part != p) {
        std::uint32_t& tasks = needed[places_[earlier].part];
        tasks = std::max(tasks, places_[earlier].tasks);
      }
    for (const auto& [part, tasks] : needed) {
      std::uint32_t& waited = waited_[p][part];
      if (tasks > waited) task.waits.push_back({part, waited = tasks});
    }
    const Thunk& thunk = *executable_.thunks[t];
    const auto touch = [&](const Slice& slice) {
      if (!touched_[p][slice.allocation]) task.allocations.push_back(slice.allocation);
      touched_[p][slice.allocation] = true;
    };
    std::ranges::for_each(thunk.reads, touch);
    std::ranges::for_each(thunk.writes, touch);
    schedule_.parts[p].tasks.push_back(std::move(task));
    places_.push_back({p, static_cast<std::uint32_t>(schedule_.parts[p].tasks.size())});
  }

  void add_untouched() {
    for (std::uint32_t a = 0; a < executable_.allocations.size(); ++a) {
      const bool is_touched =
          std::ranges::any_of(touched_, [&](const std::vector<bool>& touched) { return touched[a]; });
      const Allocation::Kind kind = executable_.allocations[a].kind;
      if ((kind == Allocation::Kind::input || kind == Allocation::Kind::output) && !is_touched)
        schedule_.untouched.push_back(a);
    }
  }

  // An output waits for all thunks that touch its memory, so that a later launch that takes it over need not look at this
  // launch. An output that no thunk touches, or that passes an input through, comes at the end of the compute stream's part.
  void group_outputs() {
    const Memories memories(executable_);
    const std::uint32_t end = schedule_.parts[0].tasks.size() + 1;
    std::unordered_map<std::uint64_t, std::map<std::uint32_t, std::uint32_t>>
        touched;  // by memory: how far each part must be
    for (std::uint32_t t = 0; t < executable_.thunks.size(); ++t) {
      const auto [part, tasks] = places_[t];
      // Everything that the compute stream makes comes together, at its end: an event for each output would cost time between two
      // launches.
      const auto touch = [&](const Slice& slice) {
        std::uint32_t& needed = touched[memories.of(slice.allocation)][part];
        needed = part == 0 ? end : std::max(needed, tasks);
      };
      std::ranges::for_each(executable_.thunks[t]->reads, touch);
      std::ranges::for_each(executable_.thunks[t]->writes, touch);
    }
    for (std::uint32_t output = 0; output < executable_.outputs.size(); ++output) {
      std::map<std::uint32_t, std::uint32_t> needed = touched[memories.of(executable_.outputs[output].allocation)];
      if (executable_.allocations[executable_.outputs[output].allocation].kind == Allocation::Kind::input)
        needed[0] = end;
      if (needed.empty()) needed[0] = end;
      std::vector<Schedule::Wait> waits;
      for (const auto& [part, tasks] : needed) waits.push_back({part, tasks});
      const auto group = std::ranges::find(schedule_.groups, waits, &Schedule::Group::waits);
      if (group != schedule_.groups.end()) {
        group->outputs.push_back(output);
      } else {
        schedule_.groups.push_back({.outputs = {output}, .waits = std::move(waits)});
      }
    }
  }

  void mark(const std::vector<Schedule::Wait>& waits) {
    for (const auto [part, tasks] : waits)
      if (tasks <= schedule_.parts[part].tasks.size()) schedule_.parts[part].tasks[tasks - 1].is_awaited = true;
  }

  const Executable& executable_;
  const std::vector<std::vector<std::uint32_t>> after_;
  const std::vector<StreamKind> streams_;
  Schedule schedule_;
  std::vector<Place> places_;                                   // indexed by thunk
  std::vector<std::map<std::uint32_t, std::uint32_t>> waited_;  // by part: how far it has waited for each other part
  std::vector<std::vector<bool>> touched_;                      // by part: the allocations that its tasks touch
};

}  // namespace

std::shared_ptr<const Schedule> schedule(const Executable& executable) {
  return std::make_shared<const Schedule>(Maker(executable).make());
}

std::shared_ptr<const Schedule> schedule_streams(const Executable& executable) {
  const auto computes = [](const std::shared_ptr<const Thunk>& thunk) { return thunk->stream == StreamKind::compute; };
  if (std::ranges::all_of(executable.thunks, computes)) return nullptr;
  auto made = schedule(executable);
  return made->is_on_one_stream() ? nullptr : made;
}

std::shared_ptr<const Schedule> ScheduleCache::get(const std::shared_ptr<const Executable>& executable) {
  if (executable->schedule) return executable->schedule;
  Entry& entry = entries_[executable.get()];
  if (entry.executable.lock() != executable) {
    std::erase_if(entries_, [&](const auto& known) {
      return known.first != executable.get() && known.second.executable.expired();
    });
    entry = {executable, schedule(*executable)};
  }
  return entry.schedule;
}

}  // namespace weft::runtime
