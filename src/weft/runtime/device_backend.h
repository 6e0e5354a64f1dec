// What one kind of device differs in from another: its memory, its streams and its time. A Device does the rest. The folders cpu
// and simulated hold one each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

  // Memory. Thread-safe. What is given out may outlive the backend.
  virtual const MemorySpace& memory_space() const = 0;
  // At least `bytes` bytes, aligned for every kernel. Throws Error with the sizes when memory cannot suffice.
  virtual Memory allocate(std::uint64_t bytes) = 0;
  virtual bool allocates_zeros() const = 0;  // else the content is unspecified
  virtual void release_cached() = 0;         // gives memory that nothing uses back to the system
  virtual MemoryStats memory_stats() const = 0;

  // One of each kind, each used by one thread at a time.
  virtual Stream& stream(StreamKind kind) = 0;

  // Whether it looks at where the inputs of launches come from.
  virtual bool needs_origins() const = 0;

  // Time. A device whose time is its own, and not the clock's, says here what the clock would have said.
  virtual std::shared_ptr<Event> new_event();  // for the outputs of a launch to come
  // A launch was accepted; in the order of launches, on the launching thread.
  virtual void launch_accepted(const LaunchRecord& /*launch*/) {}
  virtual void host_works(std::uint64_t /*items*/) {}  // see Device::host_works
  virtual void host_synchronized() {}                  // the host has waited for everything launched
  virtual void add_to(DeviceStats& /*stats*/) const {}
  virtual std::optional<std::vector<std::uint64_t>> recent_gaps_ns() const {
    return std::nullopt;
  }  // nullopt: those of the clock
};

}  // namespace weft::runtime
