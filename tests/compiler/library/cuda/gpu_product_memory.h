// Memory and a stream of a GPU, real or false, for products.
#pragma once

#include <tests/compiler/library/cuda/gpu_products.h>
#include <vector>

#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::test {

// Makes the GPU current on this thread for the lifetime of this object.
class GpuStream {
 public:
  explicit GpuStream(int ordinal) : current_(ordinal) {
    using namespace runtime::cuda;
    check(driver().cuStreamCreateWithPriority(&queue_.stream, non_blocking_stream, 0), "cuStreamCreateWithPriority");
    queue_.ordinal = ordinal;
  }
  ~GpuStream() { runtime::cuda::driver().cuStreamDestroy(queue_.stream); }
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;

  runtime::cuda::WorkQueue queue() const { return queue_; }
  void wait() const {
    runtime::cuda::check(runtime::cuda::driver().cuStreamSynchronize(queue_.stream), "cuStreamSynchronize");
  }

 private:
  runtime::cuda::Current current_;
  runtime::cuda::WorkQueue queue_;
};

class GpuProductMemory final : public ProductMemory {
 public:
  explicit GpuProductMemory(const GpuStream& stream) : stream_(stream) {}
  ~GpuProductMemory() override {
    runtime::cuda::driver().cuStreamSynchronize(queue().stream);
    for (const auto block : blocks_) runtime::cuda::driver().cuMemFree(block);
  }
  std::byte* allocate(std::size_t bytes) override {
    runtime::cuda::CUdeviceptr block = 0;
    runtime::cuda::check(runtime::cuda::driver().cuMemAlloc(&block, bytes), "cuMemAlloc");
    blocks_.push_back(block);
    return reinterpret_cast<std::byte*>(block);  // NOLINT
  }
  void fill(std::byte* to, std::uint8_t value, std::size_t bytes) override {
    runtime::cuda::check(runtime::cuda::driver().cuMemsetD8Async(number(to), value, bytes, queue().stream),
                         "cuMemsetD8Async");
  }
  void write(std::byte* to, std::span<const std::byte> from) override {
    runtime::cuda::check(
        runtime::cuda::driver().cuMemcpyHtoDAsync(number(to), from.data(), from.size(), queue().stream),
        "cuMemcpyHtoDAsync");
    stream_.wait();
  }
  void read(std::span<std::byte> to, const std::byte* from) override {
    runtime::cuda::check(runtime::cuda::driver().cuMemcpyDtoHAsync(to.data(), number(from), to.size(), queue().stream),
                         "cuMemcpyDtoHAsync");
    stream_.wait();
  }
  runtime::cuda::WorkQueue queue() const override { return stream_.queue(); }

 private:
  static runtime::cuda::CUdeviceptr number(const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address);
  }

  const GpuStream& stream_;
  std::vector<runtime::cuda::CUdeviceptr> blocks_;
};

}  // namespace weft::test
