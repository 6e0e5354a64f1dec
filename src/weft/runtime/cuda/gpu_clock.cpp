#include <weft/runtime/cuda/gpu_clock.h>

#include <algorithm>
#include <utility>

#include <weft/base/trace.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime::cuda {

GpuClock::~GpuClock() {
  release_on(ordinal_, [&](const Driver& driver) {
    for (const CUevent mark : spare_marks_) driver.cuEventDestroy(mark);
    if (last_) driver.cuEventDestroy(last_);
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

void GpuClock::tell(std::vector<Timed>& thunks) {
  if (thunks.empty() || !thunks.back().end) {
    keep(nullptr);
    return;
  }
  const std::uint64_t now = trace::now_ns();
  const auto elapsed_ns = [](CUevent from, CUevent to) {
    float milliseconds = 0;
    driver().cuEventElapsedTime(&milliseconds, from, to);
    return static_cast<std::uint64_t>(1e6 * std::max(milliseconds, 0.0f));
  };
  if (last_) {
    const std::uint64_t gap = elapsed_ns(last_, thunks.front().begin);
    const std::lock_guard lock(mutex_);
    if (!gaps_) gaps_.emplace();
    gaps_->add(gap);
  }
  const auto time_of = [&](CUevent mark) { return now - elapsed_ns(mark, thunks.back().end); };
  for (const Timed& thunk : thunks) thunk.timer->ran(thunk.thunk, time_of(thunk.begin), time_of(thunk.end));
  keep(std::exchange(thunks.back().end, nullptr));
}

void GpuClock::keep(CUevent last) {
  const std::lock_guard lock(mutex_);
  if (last_) spare_marks_.push_back(last_);
  last_ = last;
}

std::optional<std::vector<std::uint64_t>> GpuClock::gaps_ns() const {
  const std::lock_guard lock(mutex_);
  if (!gaps_) return std::nullopt;
  return gaps_->values();
}

void GpuClock::release(const std::vector<Timed>& thunks) {
  const std::lock_guard lock(mutex_);
  for (const Timed& thunk : thunks)
    for (const CUevent mark : {thunk.begin, thunk.end})
      if (mark) spare_marks_.push_back(mark);
}

}  // namespace weft::runtime::cuda
