// Runs thunks that work on the host for a GPU whose memory the host does not see: on copies of what they touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpu_memory.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime::cuda {

// Used by one thread at a time, with the GPU current.
class HostThunks {
 public:
  HostThunks(int ordinal, CUstream stream) : stream_(stream), pinned_(ordinal) {}

  // Waits for the stream, copies to the host what `thunk`, of `executable`, reads and writes, calls `run` with a launch whose bases are
  // those of the copies, and passes to the stream the copies back of what the thunk writes.
  void run(const Executable& executable, const Thunk& thunk, const Launch& launch,
           const std::function<void(const Launch&)>& run);

 private:
  // A range of device memory, and the part of the copies that holds it.
  struct Range {
    std::uint32_t allocation = 0;
    std::uintptr_t begin = 0, end = 0;
    std::uint64_t place = 0;
  };

  void find_ranges(const Executable& executable, const Thunk& thunk, const Launch& launch);
  std::uint64_t place_blocks();
  void copy(std::span<const Slice> slices, const Launch& launch, bool to_host);
  std::byte* copy_of(std::uintptr_t address) const;

  CUstream stream_;
  PinnedMemory pinned_;
  std::byte* copies_ = nullptr;
  // These belong to the last thunk. All thunks use the same vectors, so that a step that repeats takes no memory.
  std::vector<Range> ranges_;  // the smallest that holds what is touched of an allocation
  std::vector<Range> blocks_;  // ranges that overlap, joined; sorted
  std::vector<Range> copied_;
  std::vector<std::byte*> bases_;
};

}  // namespace weft::runtime::cuda
