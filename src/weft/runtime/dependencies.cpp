#include <weft/runtime/dependencies.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace weft::runtime {

namespace {

bool is_buffer(const Allocation& allocation) {
  return allocation.kind == Allocation::Kind::input || allocation.kind == Allocation::Kind::output;
}

// A range of bytes that thunks may share: slices of one allocation, of an input and the output that takes it over, or of
// temporaries that use the same bytes one after the other.
struct Range {
  std::uint64_t memory = 0, begin = 0, end = 0;
};

class Ranges {
 public:
  explicit Ranges(const Executable& executable) : executable_(executable), memories_(executable) {}
  Range of(const Slice& slice) const {
    const Allocation& allocation = executable_.allocations[slice.allocation];
    if (allocation.kind == Allocation::Kind::temporary) {
      const std::uint64_t begin = allocation.offset + slice.offset;
      return {temporaries, begin, begin + slice.bytes};
    }
    const std::uint64_t begin = is_buffer(allocation) ? allocation.offset + slice.offset : slice.offset;
    return {memories_.of(slice.allocation), begin, begin + slice.bytes};
  }

 private:
  static constexpr std::uint64_t temporaries = ~std::uint64_t{0};

  const Executable& executable_;
  const Memories memories_;
};

// The accesses to one memory so far: by the start of each part of it, the thunk that wrote it last and those that have read it since.
class Accesses {
 public:
  // Both add to `after` the thunks that the access has to come after. Reading returns whether the whole range has been written.
  bool read(const Range& range, std::uint32_t thunk, std::vector<std::uint32_t>& after) {
    bool is_written = true;
    for (auto part = cut(range); part != parts_.end() && part->first < range.end; ++part) {
      is_written = is_written && part->second.writer >= 0;
      if (part->second.writer >= 0) after.push_back(part->second.writer);
      part->second.readers.push_back(thunk);
    }
    return is_written;
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

void keep_once(std::vector<std::uint32_t>& numbers) {
  std::ranges::sort(numbers);
  const auto same = std::ranges::unique(numbers);
  numbers.erase(same.begin(), same.end());
}

}  // namespace

std::uint64_t Memories::of(std::uint32_t a) const {
  const Allocation& allocation = executable_.allocations[a];
  const std::size_t inputs = executable_.inputs.size();
  if (!is_buffer(allocation)) return inputs + executable_.outputs.size() + a;
  if (allocation.kind == Allocation::Kind::input) return allocation.index;
  const std::int32_t donated = executable_.outputs[allocation.index].donated_input;
  return donated < 0 ? inputs + allocation.index : donated;
}

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
      if (writes) {
        of_memory.write(range, t, after[t]);
      } else {
        of_memory.read(range, t, after[t]);
      }
    };
    for (const Slice& slice : thunk.reads) add(slice, false);
    for (const Slice& slice : thunk.writes) add(slice, true);
    if (thunk.has_side_effect) {
      if (last_effect >= 0) after[t].push_back(last_effect);
      last_effect = t;
    }
    keep_once(after[t]);
    std::erase(after[t], t);  // it reads what it writes
  }
  return after;
}

Flow flow_of(const Executable& executable) {
  const Ranges ranges(executable);
  const Memories memories(executable);
  std::unordered_map<std::uint64_t, Accesses> accesses;
  std::unordered_map<std::uint64_t, std::uint32_t> input_in;  // memory
  for (std::uint32_t a = 0; a < executable.allocations.size(); ++a)
    if (executable.allocations[a].kind == Allocation::Kind::input)
      input_in[memories.of(a)] = executable.allocations[a].index;
  const auto add = [&](const Slice& slice, std::uint32_t thunk, Flow::Sources& sources) {
    const Range range = ranges.of(slice);
    if (range.begin == range.end) return;
    const bool is_written = accesses[range.memory].read(range, thunk, sources.thunks);
    const auto input = input_in.find(range.memory);
    if (!is_written && input != input_in.end()) sources.inputs.push_back(input->second);
  };
  const auto finish = [](Flow::Sources& sources) {
    keep_once(sources.thunks);
    keep_once(sources.inputs);
  };
  Flow flow;
  for (std::uint32_t t = 0; t < executable.thunks.size(); ++t) {
    const Thunk& thunk = *executable.thunks[t];
    Flow::Sources& sources = flow.thunks.emplace_back();
    for (const Slice& slice : thunk.reads) add(slice, t, sources);
    for (const Slice& slice : thunk.writes) {
      std::vector<std::uint32_t> replaced;
      if (const Range range = ranges.of(slice); range.begin != range.end)
        accesses[range.memory].write(range, t, replaced);
    }
    finish(sources);
  }
  for (const Output& output : executable.outputs) {
    Flow::Sources& sources = flow.outputs.emplace_back();
    const Allocation& allocation = executable.allocations[output.allocation];
    add({.allocation = output.allocation, .offset = 0, .bytes = allocation.bytes}, 0, sources);
    finish(sources);
  }
  return flow;
}

}  // namespace weft::runtime
