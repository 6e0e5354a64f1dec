#include <atomic>
#include <chrono>
#include <tests/runtime/cuda/false_driver/state.h>

// Streams and events.
namespace {

std::uint64_t now_ns() {
  return state().advanced_ns +
         std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
             .count();
}

}  // namespace

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
  ENTER("cuStreamCreateWithPriority");
  *stream = new CUstream_st;
  count(&FalseDriver::Live::streams, 1);
  return success;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER("cuStreamDestroy");
  delete stream;
  count(&FalseDriver::Live::streams, -1);
  return success;
}
CUresult cuStreamSynchronize(CUstream stream) {
  ENTER_UNCAPTURED("cuStreamSynchronize");
  CUstream_st& s = of(stream);
  std::uint64_t point = 0;
  {
    const std::lock_guard lock(s.mutex);
    point = s.given;
  }
  s.await(point);
  return state().dead;
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr to, unsigned value, unsigned) {
  ENTER("cuStreamWriteValue32");
  if ((to & false_gpu_bit) != 0) return invalid_value;  // only weft's use of it: memory of the host
  return add(stream,
             [=] { std::atomic_ref(*reinterpret_cast<unsigned*>(to)).store(value, std::memory_order_release); });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  ENTER("cuLaunchHostFunc");
  return add(stream, [=] { function(data); });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  ENTER("cuEventCreate");
  *event = new CUevent_st;
  count(&FalseDriver::Live::events, 1);
  return success;
}
CUresult cuEventDestroy_v2(CUevent event) {
  ENTER("cuEventDestroy");
  delete event;
  count(&FalseDriver::Live::events, -1);
  return success;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER("cuEventRecord");
  CUstream_st& s = of(stream);
  const auto came_ns = std::make_shared<std::atomic<std::uint64_t>>(0);
  add(stream, [came_ns] { *came_ns = now_ns(); });
  const std::lock_guard lock(event->mutex), other(s.mutex);
  event->stream = &s;
  event->point = s.given;
  event->came_ns = came_ns;
  return success;
}
CUresult cuEventQuery(CUevent event) {
  ENTER_UNCAPTURED("cuEventQuery");
  const std::lock_guard lock(event->mutex);
  if (!event->stream) return success;
  const std::lock_guard other(event->stream->mutex);
  return event->stream->done >= event->point ? state().dead.load() : not_ready;
}
CUresult cuEventSynchronize(CUevent event) {
  ENTER_UNCAPTURED("cuEventSynchronize");
  CUstream stream = nullptr;
  std::uint64_t point = 0;
  {
    const std::lock_guard lock(event->mutex);
    stream = event->stream;
    point = event->point;
  }
  if (stream) stream->await(point);
  return state().dead;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  ENTER("cuStreamWaitEvent");
  const std::lock_guard lock(event->mutex);
  if (!event->stream) return success;
  return add(stream, [of = event->stream, point = event->point] { of->await(point); });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  ENTER("cuEventElapsedTime");
  const auto time_of = [](CUevent event) -> std::uint64_t {
    const std::lock_guard lock(event->mutex);
    return *event->came_ns;
  };
  const std::uint64_t from = time_of(begin), to = time_of(end);
  if (from == 0 || to == 0) return not_ready;
  *milliseconds = 1e-6f * static_cast<float>(to - from);
  return success;
}

}  // extern "C"
