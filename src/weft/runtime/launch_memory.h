// Provides launches with memory of a device: for outputs, and for copies of data that the device does not see or that an output
// cannot take over. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <weft/runtime/device_backend.h>
#include <weft/runtime/executable.h>
#include <weft/runtime/launch_record.h>

namespace weft::runtime {

class LaunchMemory {
 public:
  // The backend must outlive this object.
  explicit LaunchMemory(DeviceBackend& backend) : backend_(backend) {}

  Memory allocate(std::uint64_t bytes) { return backend_.allocate(bytes); }
  // Allocates memory for an output that takes over no input.
  Memory allocate_output(const Executable& executable, std::size_t output);
  // Copies an input whose memory its output cannot take over because something else can still reach it, and reports a missed
  // donation. Later work in the stream sees the copy.
  Memory copy_donated(const LaunchRecord& launch, std::size_t output, const std::byte* input, Stream& stream);
  // Returns whether an output may take over the memory of an input whose bytes are there.
  bool may_take(const LaunchRecord& launch, std::uint32_t input) const;

  // Returns whether the device cannot see an input where it lies, so that it needs a staged copy.
  bool must_stage(const LaunchRecord& launch, std::uint32_t input) const {
    return !sees_host_memory_ && launch.origins[input].is_host;
  }
  Memory stage(const std::byte* host, std::uint64_t bytes);
  // Returns the device address of a constant. A constant is uploaded with the first launch that needs it, and stays as long as
  // a program has it.
  std::byte* address_of(const Allocation& constant);

  std::uint64_t donation_copies() const { return donation_copies_.load(std::memory_order_relaxed); }

 private:
  struct Constant {
    std::weak_ptr<const std::byte> original;
    Memory copy;
  };

  DeviceBackend& backend_;
  const bool sees_host_memory_ = backend_.memory_space().is_host_visible();
  std::atomic<std::uint64_t> donation_copies_ = 0;
  std::mutex mutex_;
  std::unordered_map<const std::byte*, Constant> constants_;  // used where the device does not see the host's memory
};

}  // namespace weft::runtime
