#include <weft/runtime/cuda/cuda_device.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/runtime/cuda/gpu_memory.h>
#include <weft/runtime/cuda/gpu_stream.h>
#include <weft/runtime/cuda/gpus.h>
#include <weft/runtime/device_backend.h>

namespace weft::runtime {

namespace {

class CudaBackend final : public DeviceBackend {
 public:
  CudaBackend(int ordinal, const DeviceOptions& options)
      : kind_(concat("cuda:", cuda::gpu(ordinal).ordinal)),
        target_(cuda::target_of(cuda::gpu(ordinal))),
        space_(cuda::space_of(ordinal)),
        allocator_(cuda::gpu_allocator(ordinal, options.memory_bytes)) {
    for (std::size_t kind = 0; kind < stream_kinds; ++kind)
      streams_[kind] = std::make_unique<cuda::GpuStream>(
          cuda::GpuStream::Options{.ordinal = ordinal,
                                   .uses_kernel_threads = static_cast<StreamKind>(kind) == StreamKind::compute,
                                   .most_graphs = static_cast<std::size_t>(knobs::cuda_graphs()),
                                   .synchronous = options.synchronous},
          failure_);
  }

  ~CudaBackend() override { allocator_->release_cached(); }  // buffers that outlive the device keep the allocator

  std::string_view kind() const override { return kind_; }
  std::string target() const override { return target_; }
  const MemorySpace& memory_space() const override { return space_; }
  Memory allocate(std::uint64_t bytes) override {
    try {
      return allocator_->allocate(bytes);
    } catch (const cuda::DriverError& error) {
      if (!error.is_fatal()) throw;
      throw cuda::Failure::of_earlier_launch(error.what());
    }
  }
  void release_cached() override { allocator_->release_cached(); }
  MemoryStats memory_stats() const override { return allocator_->stats(); }
  Stream& stream(StreamKind kind) override { return *streams_[static_cast<std::size_t>(kind)]; }
  bool needs_origins() const override { return true; }
  std::optional<std::vector<std::uint64_t>> recent_gaps_ns() const override {
    return streams_[static_cast<std::size_t>(StreamKind::compute)]->clock().gaps_ns();
  }

 private:
  const std::string kind_, target_;
  const MemorySpace& space_;
  const std::shared_ptr<Allocator> allocator_;
  cuda::Failure failure_;
  std::array<std::unique_ptr<cuda::GpuStream>, stream_kinds> streams_;
};

}  // namespace

CudaDevice::CudaDevice(int ordinal, DeviceOptions options)
    : Device(std::make_unique<CudaBackend>(ordinal, options), options) {}

}  // namespace weft::runtime
