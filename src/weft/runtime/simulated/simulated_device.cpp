#include <weft/runtime/simulated/simulated_device.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include <weft/base/process.h>
#include <weft/runtime/cpu/host_memory.h>
#include <weft/runtime/device_backend.h>
#include <weft/runtime/simulated/virtual_clock.h>

namespace weft::runtime {

namespace {

class SimulatedStream final : public Stream {
 public:
  void begin(const Executable&) override {}
  void run(const Thunk&, const Launch&) override {}
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) override { std::memcpy(to, from, bytes); }
  void end(Milestone& milestone) override { milestone.reached({}); }
  void drain() override {}
};

class SimulatedBackend final : public DeviceBackend {
 public:
  SimulatedBackend(const Simulation& simulation, const DeviceOptions& options)
      : allocator_(host_allocator(options.memory_bytes != 0 ? options.memory_bytes : available_memory())),
        clock_(std::make_shared<VirtualClock>(simulation, options)) {}

  std::string_view kind() const override { return "simulated"; }
  const MemorySpace& memory_space() const override { return MemorySpace::host(); }
  Memory allocate(std::uint64_t bytes) override { return allocator_->allocate(bytes); }
  Memory allocate_output(std::uint64_t bytes) override { return allocator_->allocate(bytes, true); }
  bool outputs_are_zeros() const override { return true; }
  void release_cached() override { allocator_->release_cached(); }
  MemoryStats memory_stats() const override { return allocator_->stats(); }
  Stream& stream(StreamKind kind) override { return streams_[static_cast<std::size_t>(kind)]; }
  bool needs_origins() const override { return true; }
  std::shared_ptr<Event> new_event() override { return clock_->promise(); }
  void launch_accepted(const LaunchRecord& launch) override { clock_->launch(launch); }
  void host_works(std::uint64_t items) override { clock_->host_works(items); }
  void host_synchronized() override { clock_->host_reaches_device(); }
  void add_to(DeviceStats& stats) const override { clock_->add_to(stats); }
  std::optional<std::vector<std::uint64_t>> recent_gaps_ns() const override { return clock_->gaps_ns(); }

 private:
  const std::shared_ptr<Allocator> allocator_;
  const std::shared_ptr<VirtualClock> clock_;
  std::array<SimulatedStream, stream_kinds> streams_;
};

}  // namespace

SimulatedDevice::SimulatedDevice(Simulation simulation, DeviceOptions options)
    : Device(std::make_unique<SimulatedBackend>(simulation, options), options) {}

}  // namespace weft::runtime
