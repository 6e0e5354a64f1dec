#include <weft/runtime/cuda/cuda_device.h>

#include <chrono>
#include <cstring>
#include <tests/runtime/cuda/false_driver.h>
#include <tests/runtime/cuda/test_kernels.h>
#include <tests/runtime/programs.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/metrics.h>
#include <weft/runtime/cuda/gpu_memory.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Tests that run on the false driver, or on a real GPU.
class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    cuda::use_false_driver();
    if (!cuda::find_gpus()) GTEST_SKIP() << cuda::find_gpus().reason();
  }
};

// Tests of what a real GPU does not survive, or does not count.
class OnFalseGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::use_false_driver()) GTEST_SKIP() << "only for the false driver";
  }
  void TearDown() override {
    if (cuda::use_false_driver()) cuda::false_driver().reset();
  }
};

std::unique_ptr<Thunk> add_on_gpu(Slice to, Slice from, float value) {
  return std::make_unique<cuda::AddThunk>(cuda::test_module(), to, from, value);
}

// y = x + 1 + 10 + 100: on the GPU, on the host, on the GPU.
std::shared_ptr<const Executable> mixed(std::int64_t elements = 4) {
  Program program("mixed", elements);
  const Slice x = program.input(), a = program.temporary(), b = program.temporary(), y = program.output();
  program.thunk(add_on_gpu(a, x, 1)).add_scalar(b, a, 10).thunk(add_on_gpu(y, b, 100));
  return program.finish();
}

std::shared_ptr<const Executable> adder_on_gpu(float value, std::int64_t elements = 4) {
  Program program("gpu_adder", elements);
  const Slice x = program.input(), y = program.output();
  return program.thunk(add_on_gpu(y, x, value)).finish();
}

std::shared_ptr<const Executable> breaker() {
  Program program("breaker");
  const Slice x = program.input(), y = program.output();
  program.thunk(add_on_gpu(y, x, 1)).thunk(std::make_unique<cuda::BreakThunk>(cuda::test_module(), y));
  return program.finish();
}

TEST_F(OnGpu, ThunksOfGpuAndHostAlternate) {
  CudaDevice device;
  const std::uint64_t before = metrics::metric("HostThunkTime") ? metrics::metric("HostThunkTime")->count : 0;
  auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 10; ++i) x = launch_one(device, mixed(), x);
  EXPECT_THAT(values(x), ElementsAre(1111, 1112, 1113, 1114));
  EXPECT_EQ(metrics::metric("HostThunkTime")->count, before + 10);
}

TEST_F(OnGpu, ManyLaunchesOfOneKernel) {
  constexpr int launches = 1000, elements = 1000;
  CudaDevice device(0, {.run_ahead_launches = 100});
  const auto program = adder_on_gpu(1, elements);
  auto x = floats(device, std::vector<float>(elements, 5));
  for (int i = 0; i < launches; ++i) x = launch_one(device, program, x);
  EXPECT_EQ(values(x), std::vector<float>(elements, launches + 5));
  EXPECT_LE(device.stats().system_allocations, 105u);
}

// The times are those of the GPU, not those of passing work to it.
TEST_F(OnFalseGpu, ThunksAreTimedWhereTheyWork) {
  static constexpr std::chrono::milliseconds slow(5);
  cuda::test_kernels_take(slow);
  CudaDevice device;
  device.set_profiling(true);
  auto x = floats(device, {1, 2, 3, 4});
  const auto program = mixed();
  for (int i = 0; i < 3; ++i) x = launch_one(device, program, x);
  device.synchronize();
  const auto times = device.thunk_times();
  ASSERT_EQ(times.size(), 3u);
  for (const ThunkTime& time : times) EXPECT_EQ(time.count, 3u) << time.name;
  EXPECT_EQ(times[1].name, "add");
  const std::uint64_t least = 3 * std::chrono::nanoseconds(slow).count();
  EXPECT_GE(times[0].total_ns + 1000, least);
  EXPECT_GE(times[2].total_ns + 1000, least);
  EXPECT_EQ(values(x)[0], 334);
  cuda::test_kernels_take({});
}

// The host waits for a while after each launch.
TEST_F(OnFalseGpu, GapsBetweenProfiledLaunchesAreThoseOfTheGpusClock) {
  static constexpr std::chrono::milliseconds pause(50);
  CudaDevice device;
  const auto launch_after_pauses = [&](int pauses) {
    const auto program = adder_on_gpu(1);
    auto x = floats(device, {1, 2, 3, 4});
    for (int i = 0; i < 3; ++i) {
      x = launch_one(device, program, x);
      device.synchronize();
      for (int k = 0; k < pauses; ++k) cuda::false_driver().advance(std::chrono::nanoseconds(pause).count());
    }
  };
  launch_after_pauses(0);
  EXPECT_EQ(device.recent_gaps_ns().size(), 2u) << "measured by the host's clock";
  device.set_profiling(true);
  launch_after_pauses(1);
  const std::uint64_t least = std::chrono::nanoseconds(pause).count();
  const auto gaps = device.recent_gaps_ns();
  ASSERT_EQ(gaps.size(), 2u) << "nothing is known of the launch before the first one";
  for (const std::uint64_t gap : gaps) EXPECT_GE(gap + 1000, least);
  device.set_profiling(false);
  launch_after_pauses(2);
  device.set_profiling(true);
  launch_after_pauses(2);
  const auto later = device.recent_gaps_ns();
  ASSERT_EQ(later.size(), 4u) << "nor of launches without marks";
  EXPECT_EQ(std::vector(later.begin(), later.begin() + 2), gaps);
  for (std::size_t i = 2; i < 4; ++i) EXPECT_GE(later[i] + 1000, 2 * least);
}

TEST_F(OnGpu, SynchronousDevicesRunKernelsToo) {
  CudaDevice device(0, {.synchronous = true});
  EXPECT_THAT(values(launch_one(device, mixed(), floats(device, {1, 2, 3, 4}))), ElementsAre(112, 113, 114, 115));
}

// A thunk may touch distant parts of an allocation, and write only a part of what it may write.
TEST_F(OnGpu, ThunksOfTheHostFindTheirBytesAtTheirOffsets) {
  constexpr std::int64_t elements = 1000;
  Program program("parts", elements);
  const Slice x = program.input(), y = program.output(0);
  const auto part = [](Slice of, std::uint64_t first, std::uint64_t count) {
    return Slice{of.allocation, 4 * first, 4 * count};
  };
  const Slice from = part(x, 1, 3), more = part(x, 500, 2), to = part(y, 700, 2);
  program.thunk("move", {from, more}, {to}, [=](const Launch& launch) {
    EXPECT_EQ(launch.at<float>(from)[2], 3);
    EXPECT_EQ(launch.at<float>(to)[1], 701);
    launch.at<float>(to)[0] = launch.at<float>(from)[0] + launch.at<float>(more)[1];
  });
  std::vector<float> numbers(elements);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  CudaDevice device;
  const auto result = values(launch_one(device, program.finish(), floats(device, numbers)));
  numbers[700] = 502;
  EXPECT_EQ(result, numbers);
}

// In the memory of a donated input, a thunk finds through one slice what it writes through the other.
TEST_F(OnGpu, ThunksOfTheHostSeeThatAnOutputLiesInAnInput) {
  Program program("running");
  const Slice x = program.input(), y = program.output(0);
  program.thunk("sum", {x}, {y}, [=](const Launch& launch) {
    for (int i = 1; i < 4; ++i) launch.at<float>(y)[i] = launch.at<float>(x)[i] + launch.at<float>(x)[i - 1];
  });
  CudaDevice device;
  EXPECT_THAT(values(launch_one(device, program.finish(), floats(device, {1, 2, 3, 4}))), ElementsAre(1, 3, 6, 10));
}

TEST_F(OnGpu, AThunkOfTheHostThatFailsLeavesTheGpuUsable) {
  CudaDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  EXPECT_EQ(message_of([&] { values(launch_one(device, thrower("no"), x)); }), "no (bad, step 0 of thrower)");
  EXPECT_THAT(values(launch_one(device, adder_on_gpu(1), x)), ElementsAre(2, 3, 4, 5));
}

TEST_F(OnGpu, ThereIsNoSuchGpu) {
  EXPECT_THAT(message_of([] { CudaDevice device(99); }), StartsWith("there is no GPU 99: this process may use "));
}

TEST_F(OnFalseGpu, TheLaunchThatFailedIsNamed) {
  CudaDevice device;
  const auto adds = adder_on_gpu(1), breaks = breaker(), alternates = mixed();
  const auto x = floats(device, {1, 2, 3, 4});
  const auto before = launch_one(device, adds, x), failed = launch_one(device, breaks, x);
  const auto dependent = launch_one(device, adds, failed), other = launch_one(device, adds, x);
  EXPECT_EQ(message_of([&] { before->wait(); }), "");
  EXPECT_EQ(message_of([&] { failed->wait(); }),
            "the GPU: CUDA_ERROR_ILLEGAL_ADDRESS, as the false driver says; this process cannot use the GPU any more: "
            "start it again, "
            "with WEFT_SYNCHRONOUS=1 to learn which thunk failed (step 1 of breaker)");
  EXPECT_THAT(message_of([&] { dependent->wait(); }), HasSubstr(" (step 1 of breaker)"));
  EXPECT_THAT(message_of([&] { other->wait(); }),
              AllOf(StartsWith("an earlier launch made the GPU unusable: "), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
  const auto later = launch_one(device, alternates, x);
  EXPECT_THAT(message_of([&] { later->wait(); }), StartsWith("an earlier launch made the GPU unusable: "));
  device.synchronize();
  EXPECT_EQ(device.stats().failed_launches, 3u);
  EXPECT_EQ(device.stats().skipped_launches, 1u);
}

TEST_F(OnFalseGpu, ASynchronousDeviceNamesTheThunkThatFailed) {
  CudaDevice device(0, {.synchronous = true});
  const auto x = floats(device, {1, 2, 3, 4});
  EXPECT_THAT(message_of([&] { launch_one(device, breaker(), x)->wait(); }),
              HasSubstr(" (break_on_gpu, step 0 of breaker)"));
  EXPECT_THAT(message_of([&] { launch_one(device, thrower("it is not reached"), x)->wait(); }),
              StartsWith("an earlier launch made the GPU unusable: "));
}

TEST_F(OnFalseGpu, AKernelThatCannotBeLaunchedIsNamed) {
  CudaDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto program = adder_on_gpu(1);
  cuda::false_driver().fail("cuLaunchKernel", 1, 0);
  EXPECT_EQ(message_of([&] { launch_one(device, program, x)->wait(); }),
            "cuLaunchKernel of add_scalar: CUDA_ERROR_INVALID_VALUE, as the false driver says (add_on_gpu, step 0 of "
            "gpu_adder)");
  EXPECT_THAT(values(launch_one(device, program, x)), ElementsAre(2, 3, 4, 5));
}

TEST_F(OnFalseGpu, MemoryThatTheDriverRefusesIsAnErrorOfTheLaunch) {
  CudaDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  cuda::false_driver().fail("cuMemAlloc", cuda::out_of_memory, 0);
  EXPECT_THAT(message_of([&] { launch_one(device, adder_on_gpu(1), x)->wait(); }),
              AllOf(StartsWith("allocate: the system refused 512 B: 512 B of "),
                    HasSubstr("nvidia-smi lists what else holds memory of the GPU (add_on_gpu, step 0 of gpu_adder)")));
  EXPECT_THAT(values(launch_one(device, adder_on_gpu(1), x)), ElementsAre(2, 3, 4, 5));
}

constexpr std::uint64_t mebibyte = 1 << 20, gibibyte = 1 << 30;

TEST_F(OnFalseGpu, SmallBlocksAreRoundedLittleAndLargeOnesToWhatTheDriverTakes) {
  const auto allocator = cuda::gpu_allocator(0, gibibyte);
  const auto small = allocator->allocate(100);
  EXPECT_EQ(allocator->stats().bytes_in_use, 512u);
  const auto large = allocator->allocate(3 * mebibyte);
  EXPECT_EQ(allocator->stats().bytes_in_use, 512 + 4 * mebibyte);
  for (const Memory& memory : {small, large})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.device_address()) % 256, 0u);
}

TEST_F(OnFalseGpu, OneGibibyteStaysFree) {
  const auto& driver = cuda::false_driver();
  driver.set_memory(driver.live().bytes + 3 * gibibyte);
  EXPECT_EQ(cuda::gpu_allocator(0, 0)->stats().bytes_limit, 2 * gibibyte);
  driver.set_memory(driver.live().bytes + gibibyte / 2);
  EXPECT_EQ(cuda::gpu_allocator(0, 0)->stats().bytes_limit, 0u);
  driver.set_memory(4 * gibibyte);
}

TEST_F(OnFalseGpu, CachedBlocksGiveWayWhenTheDriverHasNoMore) {
  const auto allocator = cuda::gpu_allocator(0, gibibyte);
  const auto blocks = cuda::false_driver().live().blocks;
  {
    const auto small = allocator->allocate(100), large = allocator->allocate(300 * mebibyte);
  }
  EXPECT_EQ(cuda::false_driver().live().blocks, blocks + 2);
  // The cached blocks and this one take no more than was in use at once, if the large one is released.
  cuda::false_driver().fail("cuMemAlloc", cuda::out_of_memory, 0);
  const auto other = allocator->allocate(3 * mebibyte);
  EXPECT_EQ(cuda::false_driver().live().blocks, blocks + 1) << "the small one is released, because the driver refused";
}

TEST_F(OnFalseGpu, NothingIsLeftWhenADeviceEnds) {
  {
    CudaDevice first;  // makes what lives until the process ends
    values(floats(first, {1}));
  }
  const auto before = cuda::false_driver().live();
  BufferPtr y;
  {
    CudaDevice device;
    y = floats(device, {1, 2, 3, 4});
    for (int i = 0; i < 20; ++i) y = launch_one(device, mixed(), y);
  }
  EXPECT_EQ(cuda::false_driver().live().blocks, before.blocks + 1) << "the buffer outlives its device";
  y = nullptr;
  const auto after = cuda::false_driver().live();
  EXPECT_EQ(after.blocks, before.blocks);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.pinned_blocks, before.pinned_blocks);
  EXPECT_EQ(after.streams, before.streams);
  EXPECT_EQ(after.events, before.events);
  EXPECT_EQ(after.modules, before.modules);
}

}  // namespace
}  // namespace weft::runtime
