// Launches of small kernels that are passed to the driver as graphs.
#include <functional>
#include <tests/runtime/cuda/false_driver.h>
#include <tests/runtime/cuda/test_kernels.h>
#include <tests/runtime/programs.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/runtime/cuda/cuda_device.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LaunchGraphs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::use_false_driver()) GTEST_SKIP() << "only for the false driver";
    before_ = driver().graph_launches();
  }
  void TearDown() override {
    if (cuda::use_false_driver()) driver().reset();
  }

  static const cuda::FalseDriver& driver() { return cuda::false_driver(); }
  std::size_t graph_launches() const { return driver().graph_launches() - before_; }

  std::size_t before_ = 0;
};

// y = x + value, by five kernels, and by `more` that the caller adds behind the first one.
std::shared_ptr<const Executable> in_five_steps(
    float value, const std::function<void(Program&, Slice)>& more = [](auto&, auto) {}) {
  Program program("five_steps");
  const Slice x = program.input(), y = program.output();
  const auto add = [&](Slice to, Slice from, float what) {
    program.thunk(std::make_unique<cuda::AddThunk>(cuda::test_module(), to, from, what));
  };
  Slice at = program.temporary();
  add(at, x, value);
  more(program, at);
  for (int i = 0; i < 3; ++i) {
    const Slice next = program.temporary();
    add(next, at, 0);
    at = next;
  }
  add(y, at, 0);
  return program.finish();
}

TEST_F(LaunchGraphs, AreUsedFromTheThirdLaunchOn) {
  CudaDevice device;
  const auto program = in_five_steps(1);
  const auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 10; ++i) EXPECT_THAT(values(launch_one(device, program, x)), ElementsAre(2, 3, 4, 5)) << i;
  EXPECT_EQ(graph_launches(), 8u);
}

// Each launch has other addresses, or comes to those of an earlier one again.
TEST_F(LaunchGraphs, BelongToTheirAddresses) {
  CudaDevice device;
  const auto program = in_five_steps(1);
  std::vector<BufferPtr> inputs;
  for (int i = 0; i < 50; ++i) inputs.push_back(floats(device, {static_cast<float>(i), 0, 0, 0}));
  for (int round = 0; round < 6; ++round)
    for (int i = 0; i < 50; i += round < 3 ? 1 : 17)
      EXPECT_EQ(values(launch_one(device, program, inputs[i]))[0], static_cast<float>(i + 1));
  EXPECT_GT(graph_launches(), 0u);
  EXPECT_LE(driver().live().graphs, 16u);
}

// A program that is gone may have left its address to another one.
TEST_F(LaunchGraphs, BelongToTheirProgram) {
  CudaDevice device;
  const auto x = floats(device, {0, 0, 0, 0});
  for (int i = 0; i < 40; ++i) {
    const auto program = in_five_steps(static_cast<float>(i));
    for (int k = 0; k < 5; ++k) EXPECT_EQ(values(launch_one(device, program, x))[0], static_cast<float>(i));
  }
  EXPECT_EQ(graph_launches(), 40u * 3);
  EXPECT_LE(driver().live().graphs, 16u);
}

TEST_F(LaunchGraphs, AreForProgramsOfKernelsAlone) {
  CudaDevice device;
  const auto with_host = in_five_steps(1, [](Program& program, Slice at) { program.add_scalar(at, at, 10); });
  const auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(launch_one(device, with_host, x))[0], 12);
  EXPECT_EQ(graph_launches(), 0u);
}

// Kernels that take long hide the time that it takes to pass them.
TEST_F(LaunchGraphs, AreForSmallKernels) {
  CudaDevice device;
  const auto slow = in_five_steps(1, [](Program& program, Slice at) {
    auto thunk = std::make_unique<cuda::AddThunk>(cuda::test_module(), at, at, 0);
    thunk->info.flops = 1e12;
    program.thunk(std::move(thunk));
  });
  const auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(launch_one(device, slow, x))[0], 2);
  EXPECT_EQ(graph_launches(), 0u);
}

TEST_F(LaunchGraphs, WhatTheDriverRefusesIsDoneWithoutThem) {
  for (const char* const call :
       {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate", "cuGraphLaunch", "cuLaunchKernel"}) {
    SCOPED_TRACE(call);
    CudaDevice device;
    const auto program = in_five_steps(1);
    const auto x = floats(device, {1, 2, 3, 4});
    const std::size_t graphs = driver().live().graphs;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(values(launch_one(device, program, x))[0], 2);
    driver().fail(call, cuda::out_of_memory, 0);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(values(launch_one(device, program, x))[0], 2);
    EXPECT_EQ(graph_launches(), 0u);
    EXPECT_EQ(driver().live().graphs, graphs);
  }
}

// Allocates memory of the GPU each time it runs, which a capture forbids.
class Allocating final : public Thunk {
 public:
  Allocating() {
    info.name = "allocating";
    on_device = true;
  }
  void run(const Launch&) const override {
    cuda::CUdeviceptr block = 0;
    cuda::check(cuda::driver().cuMemAlloc(&block, 512), "cuMemAlloc");
    cuda::check(cuda::driver().cuMemFree(block), "cuMemFree");
  }
};

TEST_F(LaunchGraphs, AThunkThatACaptureForbidsRunsWithoutThem) {
  CudaDevice device;
  const auto program =
      in_five_steps(1, [](Program& program_of, Slice) { program_of.thunk(std::make_unique<Allocating>()); });
  const auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 6; ++i) EXPECT_EQ(values(launch_one(device, program, x))[0], 2);
  EXPECT_EQ(graph_launches(), 0u);
}

TEST_F(LaunchGraphs, AFailingKernelNamesItsLaunch) {
  CudaDevice device;
  const auto program = in_five_steps(1);
  const auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 4; ++i) values(launch_one(device, program, x));
  const auto breaking = in_five_steps(1, [](Program& program_of, Slice at) {
    program_of.thunk(std::make_unique<cuda::BreakThunk>(cuda::test_module(), at));
  });
  const auto failed = launch_one(device, breaking, x), later = launch_one(device, program, x);
  EXPECT_THAT(message_of([&] { failed->wait(); }), HasSubstr("(step 4 of five_steps)"));
  EXPECT_THAT(message_of([&] { later->wait(); }), HasSubstr("an earlier launch made the GPU unusable: "));
}

TEST_F(LaunchGraphs, AreAsManyAsTheKnobSays) {
  for (const int most : {0, 2}) {
    const knobs::Override limit(knobs::cuda_graphs, most);
    CudaDevice device;
    const std::size_t before = driver().live().graphs;
    const auto x = floats(device, {1, 2, 3, 4});
    for (int i = 0; i < 5; ++i) {
      const auto program = in_five_steps(static_cast<float>(i));
      for (int k = 0; k < 4; ++k) EXPECT_EQ(values(launch_one(device, program, x))[0], static_cast<float>(i + 1));
      EXPECT_LE(driver().live().graphs, before + most);
    }
    EXPECT_EQ(graph_launches() > 0, most > 0);
  }
}

TEST_F(LaunchGraphs, SynchronousDevicesPassThunksOneByOne) {
  CudaDevice device(0, {.synchronous = true});
  const auto program = in_five_steps(1);
  const auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(values(launch_one(device, program, x))[0], 2);
  EXPECT_EQ(graph_launches(), 0u);
}

TEST_F(LaunchGraphs, EndWithTheirDevice) {
  const std::size_t before = driver().live().graphs;  // those of a GPU that has failed stay
  {
    CudaDevice device;
    const auto program = in_five_steps(1);
    const auto x = floats(device, {1, 2, 3, 4});
    for (int i = 0; i < 5; ++i) values(launch_one(device, program, x));
    EXPECT_EQ(driver().live().graphs, before + 1);
  }
  EXPECT_EQ(driver().live().graphs, before);
}

}  // namespace
}  // namespace weft::runtime
