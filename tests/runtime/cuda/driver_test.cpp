#include <weft/runtime/cuda/driver.h>

#include <tests/runtime/cuda/false_driver.h>
#include <tests/runtime/cuda/test_kernels.h>
#include <tests/runtime/programs.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr CUresult no_device = 100;

class FalseDriverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!use_false_driver()) GTEST_SKIP() << "a real driver does not fail when it is asked to";
  }
  void TearDown() override {
    if (use_false_driver()) false_driver().reset();
  }
};

TEST(Driver, TellsWhyThereIsNone) {
  EXPECT_EQ(load_driver("").reason(), "WEFT_CUDA_DRIVER is empty, so that GPUs are not used");
  EXPECT_THAT(load_driver("/nowhere/libcuda.so.1").reason(),
              StartsWith("the NVIDIA driver is not installed, or not found in this container: /nowhere/libcuda.so.1"));
  EXPECT_EQ(load_driver("libm.so.6").reason(),
            "the NVIDIA driver libm.so.6 has no function cuInit: update it to CUDA 12.0 or newer");
}

TEST_F(FalseDriverTest, TellsWhyItCannotBeUsed) {
  false_driver().fail("cuInit", no_device, 0);
  EXPECT_THAT(load_driver(WEFT_FALSE_DRIVER).reason(),
              StartsWith("the NVIDIA driver cannot start: cuInit returned CUDA_ERROR_NO_DEVICE, as the false driver "
                         "says; nvidia-smi"));
  false_driver().set_version(11080);
  EXPECT_EQ(load_driver(WEFT_FALSE_DRIVER).reason(),
            "the NVIDIA driver supports CUDA 11.8: update it to CUDA 12.0 or newer");
  false_driver().set_version(12050);
  EXPECT_TRUE(load_driver(WEFT_FALSE_DRIVER).ok());
}

TEST_F(FalseDriverTest, ErrorsNameTheCallAndTheRemedy) {
  EXPECT_EQ(message_of([] { check(1, "cuMemFree"); }), "cuMemFree: CUDA_ERROR_INVALID_VALUE, as the false driver says");
  EXPECT_EQ(message_of([] { check(700, "the GPU"); }),
            "the GPU: CUDA_ERROR_ILLEGAL_ADDRESS, as the false driver says; this process cannot use the GPU any more: "
            "start it again, "
            "with WEFT_SYNCHRONOUS=1 to learn which thunk failed");
}

TEST_F(FalseDriverTest, ListsTheGpus) {
  ASSERT_TRUE(find_gpus().ok());
  ASSERT_EQ(find_gpus()->size(), 1u);
  EXPECT_EQ(gpu(0).name, "False GPU");
  EXPECT_EQ(gpu(0).major, 9);
  EXPECT_EQ(message_of([] { gpu(1); }),
            "there is no GPU 1: this process may use 1, counted from 0; weft devices lists them");
}

TEST_F(FalseDriverTest, AGpuIsCurrentForAScope) {
  const auto current = [] {
    CUcontext context = nullptr;
    driver().cuCtxGetCurrent(&context);
    return context;
  };
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    {
      const Current outer(0);
      EXPECT_EQ(current(), primary_context(0));
      {
        const Current inner(0);
      }
      EXPECT_EQ(current(), primary_context(0));
    }
    EXPECT_EQ(current(), nullptr);
  }).join();
}

TEST_F(FalseDriverTest, CodeIsUnloadedWithItsModule) {
  const auto before = false_driver().live().modules;
  {
    const auto module = test_module();
    EXPECT_EQ(false_driver().live().modules, before + 1);
    EXPECT_NE(module->function("add_scalar"), nullptr);
    EXPECT_THAT(message_of([&] { module->function("subtract"); }),
                StartsWith("cuModuleGetFunction of subtract: CUDA_ERROR_NOT_FOUND"));
  }
  EXPECT_EQ(false_driver().live().modules, before);
  EXPECT_THAT(message_of([] { Module(0, "wrong"); }),
              StartsWith("cuModuleLoadDataEx (line 1: this is no code): CUDA_ERROR_INVALID_PTX"));
}

}  // namespace
}  // namespace weft::runtime::cuda
