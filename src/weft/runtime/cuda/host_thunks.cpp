#include <weft/runtime/cuda/host_thunks.h>

#include <algorithm>

#include <weft/base/metrics.h>

namespace weft::metrics {
// Thunks that work on the host, run for a GPU: with the wait for what the GPU computes before, and with the copies.
inline constinit Metric host_thunk_time("HostThunkTime");
}  // namespace weft::metrics

namespace weft::runtime::cuda {

namespace {
constexpr std::uint64_t alignment_of_copies = 256;  // as of the memory of the GPU
}

void HostThunks::run(const Executable& executable, const Thunk& thunk, const Launch& launch,
                     const std::function<void(const Launch&)>& run) {
  const metrics::Timer timer(metrics::host_thunk_time);
  find_ranges(executable, thunk, launch);
  const std::uint64_t bytes = place_blocks();
  // The copies back for the thunk before may be under way.
  if (bytes > pinned_.bytes()) check(driver().cuStreamSynchronize(stream_), "cuStreamSynchronize");
  copies_ = pinned_.at_least(bytes);
  bases_.assign(launch.bases.size(), nullptr);
  for (const Range& range : ranges_) {
    const auto base = reinterpret_cast<std::uintptr_t>(launch.bases[range.allocation]);
    const auto copy = reinterpret_cast<std::uintptr_t>(copy_of(range.begin));
    bases_[range.allocation] = reinterpret_cast<std::byte*>(copy - (range.begin - base));
  }
  for (const auto* slices : {&thunk.reads, &thunk.writes})
    for (const Slice& slice : *slices) {
      const Allocation& allocation = executable.allocations[slice.allocation];
      if (allocation.kind == Allocation::Kind::constant)
        bases_[slice.allocation] = const_cast<std::byte*>(allocation.constant.get());
    }
  copy(thunk.reads, launch, true);
  copy(thunk.writes, launch, true);
  check(driver().cuStreamSynchronize(stream_), "cuStreamSynchronize");
  Launch on_host = launch;
  on_host.bases = bases_;
  on_host.queue = nullptr;
  run(on_host);
  copy(thunk.writes, launch, false);
}

// Finds which range of each allocation the thunk touches. Constants are read where the host has them.
void HostThunks::find_ranges(const Executable& executable, const Thunk& thunk, const Launch& launch) {
  ranges_.clear();
  for (const auto* slices : {&thunk.reads, &thunk.writes})
    for (const Slice& slice : *slices) {
      if (slice.bytes == 0 || executable.allocations[slice.allocation].kind == Allocation::Kind::constant) continue;
      const auto begin = reinterpret_cast<std::uintptr_t>(launch.at(slice));
      ranges_.push_back({.allocation = slice.allocation, .begin = begin, .end = begin + slice.bytes});
    }
  std::ranges::sort(ranges_, {}, &Range::allocation);
  std::size_t count = 0;
  for (const Range& range : ranges_) {
    if (count == 0 || ranges_[count - 1].allocation != range.allocation) {
      ranges_[count++] = range;
    } else {
      ranges_[count - 1].begin = std::min(ranges_[count - 1].begin, range.begin);
      ranges_[count - 1].end = std::max(ranges_[count - 1].end, range.end);
    }
  }
  ranges_.resize(count);
}

// Joins ranges that overlap, since an output may lie in the memory of an input. Returns the size of all copies.
std::uint64_t HostThunks::place_blocks() {
  blocks_ = ranges_;
  std::ranges::sort(blocks_, {}, &Range::begin);
  std::size_t count = 0;
  for (const Range& range : blocks_) {
    if (count == 0 || blocks_[count - 1].end <= range.begin) {
      blocks_[count++] = range;
    } else {
      blocks_[count - 1].end = std::max(blocks_[count - 1].end, range.end);
    }
  }
  blocks_.resize(count);
  std::uint64_t end = 0;
  for (Range& block : blocks_) {
    block.place = end + block.begin % alignment_of_copies;
    end = (block.place + block.end - block.begin + alignment_of_copies - 1) / alignment_of_copies * alignment_of_copies;
  }
  return end;
}

std::byte* HostThunks::copy_of(std::uintptr_t address) const {
  const Range& block = *std::prev(std::ranges::upper_bound(blocks_, address, {}, &Range::begin));
  return copies_ + block.place + (address - block.begin);
}

// Passes to the stream the copies of these slices. Slices that overlap, or follow each other in one allocation, are copied at once; a copy
// must not cross from one block of the GPU's memory into another.
void HostThunks::copy(std::span<const Slice> slices, const Launch& launch, bool to_host) {
  copied_.clear();
  for (const Slice& slice : slices) {
    const auto found = std::ranges::lower_bound(ranges_, slice.allocation, {}, &Range::allocation);
    if (slice.bytes == 0 || found == ranges_.end() || found->allocation != slice.allocation) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(launch.at(slice));
    copied_.push_back({.allocation = slice.allocation, .begin = begin, .end = begin + slice.bytes});
  }
  std::ranges::sort(copied_, {}, &Range::begin);
  for (std::size_t i = 0; i < copied_.size();) {
    Range range = copied_[i];
    std::byte* const copy = copy_of(range.begin);
    const auto continues = [&](const Range& next) {
      return next.begin < range.end || (next.begin == range.end && next.allocation == range.allocation);
    };
    for (++i; i < copied_.size() && continues(copied_[i]) &&
              copy_of(copied_[i].begin) == copy + (copied_[i].begin - range.begin);
         ++i)
      range.end = std::max(range.end, copied_[i].end);
    const std::uint64_t bytes = range.end - range.begin;
    if (to_host) {
      check(driver().cuMemcpyDtoHAsync(copy, range.begin, bytes, stream_), "cuMemcpyDtoHAsync");
    } else {
      check(driver().cuMemcpyHtoDAsync(range.begin, copy, bytes, stream_), "cuMemcpyHtoDAsync");
    }
  }
}

}  // namespace weft::runtime::cuda
