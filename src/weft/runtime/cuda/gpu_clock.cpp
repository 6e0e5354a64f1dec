#include <weft/runtime/cuda/gpu_clock.h>

#include <weft/base/trace.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime::cuda {

GpuClock::~GpuClock() {
  release_on(ordinal_, [&](const Driver& driver) {
    for (const CUevent mark : spare_marks_) driver.cuEventDestroy(mark);
  });
}

CUevent GpuClock::mark(CUstream stream) {
  CUevent mark = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_marks_.empty()) {
      mark = spare_marks_.back();
      spare_marks_.pop_back();
    }
  }
  if (!mark) check(driver().cuEventCreate(&mark, 0), "cuEventCreate");
  const CUresult result = driver().cuEventRecord(mark, stream);
  if (result != success) {
    const std::lock_guard lock(mutex_);
    spare_marks_.push_back(mark);
  }
  check(result, "cuEventRecord");
  return mark;
}

void GpuClock::tell(const std::vector<Timed>& thunks) {
  if (thunks.empty() || !thunks.back().end) return;
  const std::uint64_t now = trace::now_ns();
  const auto time_of = [&](CUevent mark) -> std::uint64_t {
    float milliseconds = 0;
    driver().cuEventElapsedTime(&milliseconds, mark, thunks.back().end);
    return now - static_cast<std::uint64_t>(1e6 * milliseconds);
  };
  for (const Timed& thunk : thunks) thunk.timer->ran(thunk.thunk, time_of(thunk.begin), time_of(thunk.end));
}

void GpuClock::release(const std::vector<Timed>& thunks) {
  const std::lock_guard lock(mutex_);
  for (const Timed& thunk : thunks)
    for (const CUevent mark : {thunk.begin, thunk.end})
      if (mark) spare_marks_.push_back(mark);
}

}  // namespace weft::runtime::cuda
