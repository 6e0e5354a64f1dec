#include <weft/runtime/cpu/cpu_device.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include <unistd.h>

#include <weft/base/process.h>
#include <weft/runtime/cpu/host_memory.h>
#include <weft/runtime/device_backend.h>
#include <weft/runtime/parallel.h>

namespace weft::runtime {

namespace {

// The stream of kernels, which run one after the other, each on all kernel threads.
class ComputeStream final : public Stream {
 public:
  void begin(const Executable& executable) override {
    adopt_thread_count();
    computing_.emplace();
    if (executable.preparation) executable.preparation->run();
  }
  void run(const Thunk& thunk, const Launch& launch) override { thunk.run(launch); }
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) override { std::memcpy(to, from, bytes); }
  void end(Milestone& milestone) override {
    computing_.reset();
    milestone.reached({});
  }
  void drain() override {}

 private:
  std::optional<Computing> computing_;
};

// A stream whose thunks run only on the calling thread.
class SerialStream final : public Stream {
 public:
  void begin(const Executable&) override {}
  void run(const Thunk& thunk, const Launch& launch) override {
    const Serially alone;
    thunk.run(launch);
  }
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) override { std::memcpy(to, from, bytes); }
  void end(Milestone& milestone) override { milestone.reached({}); }
  void drain() override {}
};

class CpuBackend final : public DeviceBackend {
 public:
  explicit CpuBackend(std::uint64_t memory_bytes)
      : allocator_(host_allocator(memory_bytes != 0 ? memory_bytes : available_memory())) {}

  std::string_view kind() const override { return "CPU"; }
  const MemorySpace& memory_space() const override { return MemorySpace::host(); }
  Memory allocate(std::uint64_t bytes) override { return allocator_->allocate(bytes); }
  void release_cached() override { allocator_->release_cached(); }
  MemoryStats memory_stats() const override { return allocator_->stats(); }
  Stream& stream(StreamKind kind) override {
    if (kind == StreamKind::compute) return compute_;
    return others_[static_cast<std::size_t>(kind)];
  }
  bool needs_origins() const override { return false; }

 private:
  const std::shared_ptr<Allocator> allocator_;
  ComputeStream compute_;
  std::array<SerialStream, stream_kinds> others_;
};

// Waits for the CPU device when the main thread ends. Statics are destroyed in the reverse order of their construction, and
// those of LLVM and oneDNN that kernels use are made by the first kernel that needs them, so they are destroyed before the CPU
// device. Thread-locals of the main thread are destroyed before all statics, so the process waits there.
struct WaitsAtExit {
  ~WaitsAtExit() {
    if (::getpid() == ::gettid()) cpu().synchronize();
  }
};

}  // namespace

CpuDevice::CpuDevice(DeviceOptions options) : Device(std::make_unique<CpuBackend>(options.memory_bytes), options) {}

Device& cpu() {
  static CpuDevice device(DeviceOptions::from_knobs());
  thread_local const WaitsAtExit waits;  // destroyed when the main thread ends
  return device;
}

}  // namespace weft::runtime
