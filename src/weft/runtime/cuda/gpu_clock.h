// Takes the times of thunks that work on a GPU: with marks before and after each, whose distances the driver knows once the GPU has passed
// them. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <weft/runtime/cuda/driver.h>
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
  // Tells the timers when their thunks ran. To be called when the GPU has just passed the last mark: its time is taken for that of the
  // call, so that the thunks stand in the time of the host. Does nothing if the last one failed.
  void tell(const std::vector<Timed>& thunks);
  // Takes the marks back.
  void release(const std::vector<Timed>& thunks);

 private:
  const int ordinal_;
  std::mutex mutex_;
  std::vector<CUevent> spare_marks_;
};

}  // namespace weft::runtime::cuda
