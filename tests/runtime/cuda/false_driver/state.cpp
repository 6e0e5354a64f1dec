#include <tests/runtime/cuda/false_driver/state.h>

thread_local CUcontext current = nullptr;
thread_local CUstream captured = nullptr;

State& state() {
  static auto* const made = new State;
  return *made;
}

CUresult enter(std::string_view function, bool needs_context) {
  State& s = state();
  if (s.is_any_failing) {
    const std::lock_guard lock(s.mutex);
    const auto found = s.failing.find(function);
    if (found != s.failing.end() && found->second.calls_before-- == 0) {
      const CUresult error = found->second.error;
      s.failing.erase(found);
      return error;
    }
  }
  if (needs_context && !current) return invalid_context;
  return s.dead;
}

CUresult enter_uncaptured(std::string_view function) {
  if (captured) {
    const std::lock_guard lock(captured->mutex);
    captured->has_capture_failed = true;
    return capture_forbids;
  }
  return enter(function);
}

std::byte* find(CUdeviceptr address, std::size_t bytes) {
  State& s = state();
  const std::uintptr_t begin = address & ~false_gpu_bit;
  if (begin == address) return nullptr;  // not of the GPU
  const std::lock_guard lock(s.mutex);
  auto block = s.blocks.upper_bound(begin);
  if (block == s.blocks.begin()) return nullptr;
  --block;
  return begin + bytes <= block->first + block->second ? reinterpret_cast<std::byte*>(begin) : nullptr;
}

CUresult add(CUstream stream, Work work) {
  of(stream).add([work = std::move(work)] {
    if (state().dead == success) work();
  });
  return success;
}

void count(std::size_t FalseDriver::Live::* what, std::size_t change) {
  const std::lock_guard lock(state().mutex);
  state().live.*what += change;
}
