// What launches need of a device's memory: where outputs go, and copies of what the device would not see or could not take over.
// Thread-safe.
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
  // The backend outlives it.
  explicit LaunchMemory(DeviceBackend& backend) : backend_(backend) {}

  Memory allocate(std::uint64_t bytes) { return backend_.allocate(bytes); }
  // Memory for an output that takes over no input.
  Memory allocate_output(const Executable& executable, std::size_t output);
  // A copy of an input whose memory its output cannot take over, for something else still reaches it; reports that. Any work in the
  // stream that follows sees the copy.
  Memory copy_donated(const LaunchRecord& launch, std::size_t output, const std::byte* input, Stream& stream);
  // Whether an output may take over the memory of an input, which is there.
  bool may_take(const LaunchRecord& launch, std::uint32_t input) const;

  // Whether the device does not see an input where it is: it needs a staged copy.
  bool must_stage(const LaunchRecord& launch, std::uint32_t input) const {
    return !sees_host_memory_ && launch.origins[input].is_host;
  }
  Memory stage(const std::byte* host, std::uint64_t bytes);
  // A constant is uploaded with the first launch that needs it, and stays as long as a program has it.
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
  std::unordered_map<const std::byte*, Constant> constants_;  // where the device does not see the host's memory
};

}  // namespace weft::runtime
