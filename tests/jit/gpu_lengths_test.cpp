// Programs for a GPU serve all lengths. The false driver runs no kernel, so only what is compiled is looked at.
#include <tests/compiler/library/cuda/false_cublaslt.h>
#include <tests/runtime/cuda/false_driver.h>

#include <gtest/gtest.h>

#include <weft/runtime/cuda/cuda_device.h>
#include <weft/weft.h>

namespace weft {
namespace {

class CurrentDevice {
 public:
  explicit CurrentDevice(runtime::Device& to) : before_(device()) { set_device(to); }
  ~CurrentDevice() { set_device(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  runtime::Device& before_;
};

// On a CPU, more than 128 queries would be another program, of blocks.
TEST(GpuLengths, CausalAttentionIsOneProgramForAllLengths) {
  runtime::cuda::use_false_driver();
  test::use_false_cublaslt();
  runtime::CudaDevice gpu;
  const CurrentDevice current(gpu);
  const auto step = compile([](const Tensor& x) {
    const Tensor y = scaled_dot_product_attention(x, x, x, {.causal = true});
    return std::pair(sum(y.to(DType::f32)), grad(sum(y.to(DType::f32)), std::vector{x})[0]);
  });
  for (const std::int64_t length : {200, 72, 128, 112, 256, 16}) {
    Tensor x = zeros({2, 3, length, 32}, DType::bf16);
    mark_dynamic(x, 2);
    step(x);
  }
  gpu.synchronize();
  EXPECT_EQ(step.explain().compiles, 1u);
}

}  // namespace
}  // namespace weft
