// What differs between kinds of devices: memory, streams and time. Device does everything else. The folders cpu, cuda and simulated
// each hold one backend.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weft/runtime/event.h>
#include <weft/runtime/memory.h>
#include <weft/runtime/memory_space.h>
#include <weft/runtime/stream.h>

namespace weft::runtime {

struct DeviceStats;
struct LaunchRecord;

class DeviceBackend {
 public:
  DeviceBackend() = default;
  virtual ~DeviceBackend() = default;
  DeviceBackend(const DeviceBackend&) = delete;
  DeviceBackend& operator=(const DeviceBackend&) = delete;

  virtual std::string_view kind() const = 0;  // "cpu", "simulated"
  // The target for which programs of the device are compiled, by the name that compilers know: native, sm_90.
  virtual std::string target() const { return "native"; }

  // Memory. Thread-safe. Allocated memory may outlive the backend.
  virtual const MemorySpace& memory_space() const = 0;
  // Returns at least `bytes` bytes with any content, aligned for every kernel. Throws Error with the sizes if there is not enough
  // memory.
  virtual Memory allocate(std::uint64_t bytes) = 0;
  // Returns memory for an output of a launch.
  virtual Memory allocate_output(std::uint64_t bytes) { return allocate(bytes); }
  virtual bool outputs_are_zeros() const { return false; }  // because the device runs no thunks that would write them
  virtual void release_cached() = 0;                        // returns unused memory to the system
  virtual MemoryStats memory_stats() const = 0;

  // Returns the stream of a kind. One thread at a time uses each.
  virtual Stream& stream(StreamKind kind) = 0;

  // Returns whether the device needs to know where the inputs of launches come from.
  virtual bool needs_origins() const = 0;

  // Time. A device with its own time, rather than the clock's, overrides these functions.
  virtual std::shared_ptr<Event> new_event();  // for the outputs of a future launch
  // Tells that a launch was accepted. Called in the order of launches, on the launching thread.
  virtual void launch_accepted(const LaunchRecord& /*launch*/) {}
  virtual void host_works(std::uint64_t /*items*/) {}  // see Device::host_works
  virtual void host_synchronized() {}                  // the host has waited for everything launched
  virtual void add_to(DeviceStats& /*stats*/) const {}
  // Returns the gaps between launches, or nullopt to use those measured by the clock.
  virtual std::optional<std::vector<std::uint64_t>> recent_gaps_ns() const { return std::nullopt; }
};

}  // namespace weft::runtime
