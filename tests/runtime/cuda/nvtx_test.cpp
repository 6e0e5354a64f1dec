// The ranges that tools of NVIDIA see.
#include <weft/runtime/cuda/nvtx.h>

#include <tests/runtime/cuda/false_driver.h>
#include <tests/runtime/cuda/test_kernels.h>
#include <tests/runtime/programs.h>

#include <gtest/gtest.h>

#include <weft/runtime/cuda/cuda_device.h>

namespace weft::runtime {
namespace {

TEST(Nvtx, WithoutAToolNothingHappens) {
  EXPECT_EQ(cuda::load_nvtx_tool(nullptr).push, nullptr);
  EXPECT_EQ(cuda::load_nvtx_tool("/nowhere/libtool.so").push, nullptr);
  EXPECT_EQ(cuda::load_nvtx_tool("libc.so.6").push, nullptr) << "a library that is no tool";
}

TEST(Nvtx, AToolSeesLaunchesAndTheirThunks) {
  if (!cuda::use_false_driver()) GTEST_SKIP() << "only for the false driver";
  const cuda::FalseDriver& tool = cuda::false_driver();
  Program program("ranges_of_this_program");
  const Slice x = program.input(), between = program.temporary(), y = program.output();
  program.thunk(std::make_unique<cuda::AddThunk>(cuda::test_module(), between, x, 1)).add_scalar(y, between, 2);
  const auto executable = program.finish();
  const std::size_t thunks = tool.ranges_named("add_on_gpu"), of_host = tool.ranges_named("add");
  {
    CudaDevice device;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(values(launch_one(device, executable, floats(device, {4, 0, 0, 0})))[0], 7);
  }
  EXPECT_EQ(tool.ranges_named("ranges_of_this_program"), 3u);
  EXPECT_EQ(tool.ranges_named("add_on_gpu") - thunks, 3u);
  EXPECT_EQ(tool.ranges_named("add") - of_host, 3u);
  EXPECT_EQ(tool.open_ranges(), 0);
}

}  // namespace
}  // namespace weft::runtime
