#include <weft/runtime/cuda/gpu_memory.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

#include <weft/base/error.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime::cuda {

namespace {

constexpr std::uint64_t small_granule = 512, large_granule = std::uint64_t{2} << 20;
constexpr std::uint64_t left_free = std::uint64_t{1} << 30;

class GpuMemory final : public MemorySource {
 public:
  explicit GpuMemory(int ordinal) : ordinal_(ordinal) {}

  // The driver takes memory of the GPU in pieces of 2 MiB, and serves small requests from shared ones.
  std::uint64_t rounded(std::uint64_t bytes) const override {
    const std::uint64_t granule = bytes < large_granule / 2 ? small_granule : large_granule;
    return std::max((bytes + granule - 1) / granule * granule, small_granule);
  }
  std::byte* allocate(std::uint64_t size) override {
    const Current current(ordinal_);
    CUdeviceptr address = 0;
    const CUresult result = driver().cuMemAlloc(&address, size);
    if (result == out_of_memory) return nullptr;
    check(result, "cuMemAlloc");
    return as_pointer(address);
  }
  void free(std::byte* block, std::uint64_t /*size*/) override {
    release_on(ordinal_, [&](const Driver& driver) { driver.cuMemFree(as_address(block)); });
  }
  void zero(std::byte* block, std::uint64_t size) override {
    const Current current(ordinal_);
    check(driver().cuMemsetD8Async(as_address(block), 0, size, nullptr), "cuMemsetD8Async");
    check(driver().cuStreamSynchronize(nullptr), "cuStreamSynchronize");
  }
  std::string hint(bool has_refused) const override {
    return has_refused ? "; nvidia-smi lists what else holds memory of the GPU" : "";
  }

 private:
  const int ordinal_;
};

class GpuSpace final : public MemorySpace {
 public:
  explicit GpuSpace(int ordinal) : ordinal_(ordinal) {}

  bool is_host_visible() const override { return false; }
  void copy_to_host(std::byte* host, const std::byte* device, std::uint64_t bytes) const override {
    if (bytes == 0) return;
    const Current current(ordinal_);
    const CUstream stream = streams().to_host;
    check(driver().cuMemcpyDtoHAsync(host, as_address(device), bytes, stream), "cuMemcpyDtoHAsync");
    check(driver().cuStreamSynchronize(stream), "cuStreamSynchronize after a copy from the GPU");
  }
  void copy_to_device(std::byte* device, const std::byte* host, std::uint64_t bytes) const override {
    if (bytes == 0) return;
    const Current current(ordinal_);
    const CUstream stream = streams().to_device;
    check(driver().cuMemcpyHtoDAsync(as_address(device), host, bytes, stream), "cuMemcpyHtoDAsync");
    check(driver().cuStreamSynchronize(stream), "cuStreamSynchronize after a copy to the GPU");
  }

 private:
  // Streams that do not wait for what the GPU computes.
  struct Streams {
    CUstream to_host = nullptr, to_device = nullptr;
  };
  const Streams& streams() const {
    std::call_once(once_, [this] {
      for (CUstream* const stream : {&streams_.to_host, &streams_.to_device})
        check(driver().cuStreamCreateWithPriority(stream, non_blocking_stream, 0), "cuStreamCreateWithPriority");
    });
    return streams_;
  }

  const int ordinal_;
  mutable std::once_flag once_;
  mutable Streams streams_;
};

}  // namespace

std::shared_ptr<Allocator> gpu_allocator(int ordinal, std::uint64_t limit_bytes) {
  if (limit_bytes == 0) {
    const Current current(ordinal);
    std::size_t free_bytes = 0, total_bytes = 0;
    check(driver().cuMemGetInfo(&free_bytes, &total_bytes), "cuMemGetInfo");
    limit_bytes = free_bytes > left_free ? free_bytes - left_free : 0;
  }
  return Allocator::make(std::make_unique<GpuMemory>(ordinal), limit_bytes);
}

const MemorySpace& space_of(int ordinal) {
  static auto* const spaces = [] {  // never destroyed: buffers may be read until the process ends
    auto* const made = new std::vector<std::unique_ptr<const GpuSpace>>;
    for (const Gpu& gpu : *find_gpus()) made->push_back(std::make_unique<GpuSpace>(gpu.ordinal));
    return made;
  }();
  gpu(ordinal);
  return *(*spaces)[ordinal];
}

std::byte* PinnedMemory::at_least(std::uint64_t bytes) {
  if (bytes > bytes_) {
    release();
    const std::uint64_t size = std::bit_ceil(std::max<std::uint64_t>(bytes, 4096));
    const Current current(ordinal_);
    check(driver().cuMemHostAlloc(&block_, size, 0), concat("cuMemHostAlloc of ", size, " bytes"));
    bytes_ = size;
  }
  return static_cast<std::byte*>(block_);
}

void PinnedMemory::release() {
  if (!block_) return;
  release_on(ordinal_, [&](const Driver& driver) { driver.cuMemFreeHost(block_); });
  block_ = nullptr;
  bytes_ = 0;
}

}  // namespace weft::runtime::cuda
