// Kernels for tests, as PTX for a real GPU and as functions for the false driver.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tests/runtime/cuda/false_driver.h>
#include <thread>
#include <utility>

#include <weft/runtime/cuda/module.h>
#include <weft/runtime/cuda/work_queue.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime::cuda {

// add_scalar(to, from, value, count): to[i] = from[i] + value, in one block of threads.
// break_gpu(to): an access that no GPU survives.
inline constexpr std::string_view test_code = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry add_scalar(.param .u64 p_to, .param .u64 p_from, .param .f32 p_value, .param .u32 p_count) {
  .reg .pred %done;
  .reg .u32 %i, %step, %count;
  .reg .u64 %to, %from, %offset;
  .reg .f32 %value, %x;
  ld.param.u64 %to, [p_to];
  ld.param.u64 %from, [p_from];
  ld.param.f32 %value, [p_value];
  ld.param.u32 %count, [p_count];
  mov.u32 %i, %tid.x;
  mov.u32 %step, %ntid.x;
next:
  setp.ge.u32 %done, %i, %count;
  @%done bra end;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %offset, %offset, %from;
  ld.f32 %x, [%offset];
  add.rn.f32 %x, %x, %value;
  sub.u64 %offset, %offset, %from;
  add.u64 %offset, %offset, %to;
  st.f32 [%offset], %x;
  add.u32 %i, %i, %step;
  bra next;
end:
  ret;
}
.visible .entry break_gpu(.param .u64 p_to) {
  .reg .u64 %to;
  .reg .u32 %x;
  mov.u64 %to, 16;
  ld.global.u32 %x, [%to];
  ld.param.u64 %to, [p_to];
  st.global.u32 [%to], %x;
  ret;
}
)";

// Makes the kernels of the false driver take so long.
inline std::atomic<std::chrono::milliseconds> time_of_test_kernels;
inline void test_kernels_take(std::chrono::milliseconds time) { time_of_test_kernels = time; }

inline int add_scalar_kernel(void** arguments) {
  const std::chrono::milliseconds time = time_of_test_kernels;
  if (time.count() != 0) std::this_thread::sleep_for(time);
  auto* const to = from_false_gpu(*static_cast<float**>(arguments[0]));
  const auto* const from = from_false_gpu(*static_cast<float**>(arguments[1]));
  const float value = *static_cast<float*>(arguments[2]);
  const auto count = *static_cast<std::uint32_t*>(arguments[3]);
  for (std::uint32_t i = 0; i < count; ++i) to[i] = from[i] + value;
  return 0;
}

inline std::shared_ptr<const Module> test_module(int ordinal = 0) {
  if (use_false_driver()) {
    constexpr std::size_t sizes[] = {8, 8, 4, 4};
    false_driver().add_kernel("add_scalar", add_scalar_kernel, sizes, 4);
    false_driver().add_kernel("break_gpu", [](void**) { return 700; }, sizes, 1);
  }
  return std::make_shared<Module>(ordinal, test_code);
}

// to[i] = from[i] + value, on the GPU.
class AddThunk final : public Thunk {
 public:
  AddThunk(std::shared_ptr<const Module> module, Slice to, Slice from, float value)
      : module_(std::move(module)), function_(module_->function("add_scalar")), to_(to), from_(from), value_(value) {
    info.name = "add_on_gpu";
    reads = {from};
    writes = {to};
    on_device = true;
  }
  void run(const Launch& launch) const override {
    auto *to = launch.at(to_), *from = launch.at(from_);
    float value = value_;
    auto count = static_cast<std::uint32_t>(to_.bytes / sizeof(float));
    void* arguments[] = {&to, &from, &value, &count};
    check(driver().cuLaunchKernel(function_, 1, 1, 1, 128, 1, 1, 0, WorkQueue::of(launch).stream, arguments, nullptr),
          "cuLaunchKernel of add_scalar");
  }

 private:
  std::shared_ptr<const Module> module_;
  CUfunction function_;
  Slice to_, from_;
  float value_;
};

class BreakThunk final : public Thunk {
 public:
  BreakThunk(std::shared_ptr<const Module> module, Slice to)
      : module_(std::move(module)), function_(module_->function("break_gpu")), to_(to) {
    info.name = "break_on_gpu";
    writes = {to};
    on_device = true;
  }
  void run(const Launch& launch) const override {
    auto* to = launch.at(to_);
    void* arguments[] = {&to};
    check(driver().cuLaunchKernel(function_, 1, 1, 1, 1, 1, 1, 0, WorkQueue::of(launch).stream, arguments, nullptr),
          "cuLaunchKernel of break_gpu");
  }

 private:
  std::shared_ptr<const Module> module_;
  CUfunction function_;
  Slice to_;
};

}  // namespace weft::runtime::cuda
