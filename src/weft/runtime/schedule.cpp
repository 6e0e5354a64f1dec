#include <weft/runtime/schedule.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>

namespace weft::runtime {

namespace {

// A range of bytes that thunks may share: slices of one allocation, of an input and the output that takes it over, or of
// temporaries that use the same bytes one after the other.
struct Range {
  std::uint64_t memory = 0, begin = 0, end = 0;
};

class Ranges {
 public:
  explicit Ranges(const Executable& executable) : executable_(executable) {}
  Range of(const Slice& slice) const {
    const Allocation& allocation = executable_.allocations[slice.allocation];
    if (allocation.kind == Allocation::Kind::temporary) {
      const std::uint64_t begin = allocation.offset + slice.offset;
      return {temporaries, begin, begin + slice.bytes};
    }
    const std::uint64_t begin = is_buffer(allocation) ? allocation.offset + slice.offset : slice.offset;
    return {memory_of(slice.allocation), begin, begin + slice.bytes};
  }
  // Identifies the memory in which an allocation lies: of an input, of an output that takes over none, or its own.
  std::uint64_t memory_of(std::uint32_t a) const {
    const Allocation& allocation = executable_.allocations[a];
    const std::size_t inputs = executable_.inputs.size();
    if (!is_buffer(allocation)) return inputs + executable_.outputs.size() + a;
    if (allocation.kind == Allocation::Kind::input) return allocation.index;
    const std::int32_t donated = executable_.outputs[allocation.index].donated_input;
    return donated < 0 ? inputs + allocation.index : donated;
  }

 private:
  static constexpr std::uint64_t temporaries = ~std::uint64_t{0};
  static bool is_buffer(const Allocation& allocation) {
    return allocation.kind == Allocation::Kind::input || allocation.kind == Allocation::Kind::output;
  }
  const Executable& executable_;
};

// The accesses to one memory so far: by the start of each part of it, the thunk that wrote it last and those that have read it since.
class Accesses {
 public:
  // Adds to `after` the thunks that the next access has to come after.
  void read(const Range& range, std::uint32_t thunk, std::vector<std::uint32_t>& after) {
    for (auto part = cut(range); part != parts_.end() && part->first < range.end; ++part) {
      if (part->second.writer >= 0) after.push_back(part->second.writer);
      part->second.readers.push_back(thunk);
    }
  }
  void write(const Range& range, std::uint32_t thunk, std::vector<std::uint32_t>& after) {
    auto part = cut(range);
    while (part != parts_.end() && part->first < range.end) {
      if (part->second.writer >= 0) after.push_back(part->second.writer);
      after.insert(after.end(), part->second.readers.begin(), part->second.readers.end());
      part = parts_.erase(part);
    }
    parts_.emplace_hint(part, range.begin, Part{.end = range.end, .writer = thunk, .readers = {}});
  }

 private:
  struct Part {
    std::uint64_t end;
    std::int64_t writer = -1;
    std::vector<std::uint32_t> readers;
  };
  using Parts = std::map<std::uint64_t, Part>;

  // Makes parts begin and end where the range does, and cover it. Returns the first of them.
  Parts::iterator cut(const Range& range) {
    cut_at(range.begin);
    cut_at(range.end);
    std::uint64_t at = range.begin;
    for (auto part = parts_.lower_bound(at); at < range.end; ++part) {
      const std::uint64_t next = part == parts_.end() ? range.end : std::min(part->first, range.end);
      if (at < next) part = parts_.emplace_hint(part, at, Part{.end = next, .writer = -1, .readers = {}});
      at = part->second.end;
    }
    return parts_.lower_bound(range.begin);
  }

  void cut_at(std::uint64_t place) {
    auto part = parts_.upper_bound(place);
    if (part == parts_.begin()) return;
    --part;
    if (part->first == place || part->second.end <= place) return;
    Part second = part->second;
    part->second.end = place;
    parts_.emplace(place, std::move(second));
  }

  Parts parts_;
};

// Returns for each thunk earlier thunks after which it has to come: those that write what it reads, those that touch what it writes, and
// earlier side effects if it has one. Others follow from these.
std::vector<std::vector<std::uint32_t>> dependencies(const Executable& executable) {
  const Ranges ranges(executable);
  std::vector<std::vector<std::uint32_t>> after(executable.thunks.size());
  std::unordered_map<std::uint64_t, Accesses> accesses;
  std::int64_t last_effect = -1;
  for (std::uint32_t t = 0; t < executable.thunks.size(); ++t) {
    const Thunk& thunk = *executable.thunks[t];
    const auto add = [&](const Slice& slice, bool writes) {
      const Range range = ranges.of(slice);
      if (range.begin == range.end) return;
      Accesses& of_memory = accesses[range.memory];
      writes ? of_memory.write(range, t, after[t]) : of_memory.read(range, t, after[t]);
    };
    for (const Slice& slice : thunk.reads) add(slice, false);
    for (const Slice& slice : thunk.writes) add(slice, true);
    if (thunk.has_side_effect) {
      if (last_effect >= 0) after[t].push_back(last_effect);
      last_effect = t;
    }
    std::ranges::sort(after[t]);
    const auto same = std::ranges::unique(after[t]);
    after[t].erase(same.begin(), same.end());
    std::erase(after[t], t);  // it reads what it writes
  }
  return after;
}

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
    const Ranges ranges(executable_);
    const std::uint32_t end = schedule_.parts[0].tasks.size() + 1;
    std::unordered_map<std::uint64_t, std::map<std::uint32_t, std::uint32_t>>
        touched;  // by memory: how far each part must be
    for (std::uint32_t t = 0; t < executable_.thunks.size(); ++t) {
      const auto [part, tasks] = places_[t];
      // Everything that the compute stream makes comes together, at its end: an event for each output would cost time between two
      // launches.
      const auto touch = [&](const Slice& slice) {
        std::uint32_t& needed = touched[ranges.memory_of(slice.allocation)][part];
        needed = part == 0 ? end : std::max(needed, tasks);
      };
      std::ranges::for_each(executable_.thunks[t]->reads, touch);
      std::ranges::for_each(executable_.thunks[t]->writes, touch);
    }
    for (std::uint32_t output = 0; output < executable_.outputs.size(); ++output) {
      std::map<std::uint32_t, std::uint32_t> needed = touched[ranges.memory_of(executable_.outputs[output].allocation)];
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
