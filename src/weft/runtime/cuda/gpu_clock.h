// Takes the times of thunks that work on a GPU: with marks before and after each, whose distances the driver knows once the GPU has passed
// them. It also takes the times between one launch and the next. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/recent.h>
#include <weft/runtime/stream.h>

namespace weft::runtime::cuda {

class GpuClock {
 public:
  explicit GpuClock(int ordinal) : ordinal_(ordinal) {}
  ~GpuClock();
  GpuClock(const GpuClock&) = delete;
  GpuClock& operator=(const GpuClock&) = delete;

  struct Timed {
    CUevent begin = nullptr, end = nullptr;  // of the last one, `end` is null if it failed
    std::size_t thunk = 0;
    ThunkTimer* timer = nullptr;
  };

  // Puts a mark into the stream. Throws Error if the driver refuses.
  CUevent mark(CUstream stream);
  // Tells the timers when the thunks of a launch ran. To be called for every launch, in order, when the GPU has just passed the last mark:
  // its time is taken for that of the call, so that the thunks stand in the time of the host. Tells nothing if the last one failed. Keeps
  // the last mark.
  void tell(std::vector<Timed>& thunks);
  // Takes the marks back.
  void release(const std::vector<Timed>& thunks);
  // Returns how long the GPU took from the last thunk of a launch to the first one of the next, for the last launches with marks that
  // followed each other, the oldest first; nullopt if there were none.
  std::optional<std::vector<std::uint64_t>> gaps_ns() const;

 private:
  void keep(CUevent last);

  const int ordinal_;
  mutable std::mutex mutex_;
  std::vector<CUevent> spare_marks_;
  std::optional<Recent> gaps_;
  CUevent last_ = nullptr;  // the last mark of the launch before, if it had marks; used only by tell()
};

}  // namespace weft::runtime::cuda
