// A Device computes: it owns memory and runs launches one after the other, in the order in which they were made, on its own
// thread. launch() and read() return at once; the host waits only in Event::wait, Buffer::bytes and when run-ahead is full.
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/executable.h>

namespace weft::runtime {

struct DeviceOptions {
  int run_ahead_launches = 8;                        // launches accepted before the host must wait
  std::uint64_t run_ahead_bytes = std::uint64_t{4} << 30;  // bytes that accepted launches may hold before the host must wait
  bool synchronous = false;                          // launch() returns when the work is done (debugging)
  double simulate_us = -1;                           // >= 0: a simulated device; each launch takes this long and thunks do not run
};

struct DeviceStats {
  std::uint64_t launches = 0, bytes_in_use = 0, peak_bytes_in_use = 0;
  std::uint64_t host_waits = 0;        // times the host met the run-ahead bound
  std::uint64_t busy_ns = 0, idle_ns = 0;  // of the device's thread since the first launch
};

class Device {
 public:
  explicit Device(DeviceOptions options = {});
  ~Device();  // waits for what was launched
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // The CPU of this process, made at first use with options from the knobs.
  static Device& cpu();

  // Accepts one run of `executable`; returns its outputs as promised buffers, in order. `inputs` match executable.inputs in type
  // (checked). An input that an output takes over (Output::donated_input) loses its memory to it. If an input's event carries an
  // error the launch is skipped and its outputs carry the same error: the first error wins.
  std::vector<BufferPtr> launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs);

  // A new buffer with a copy of `bytes` (of the type's size).
  BufferPtr upload(Type type, std::span<const std::byte> bytes);

  // Calls `reader` on the device's thread with the buffer's bytes when they are there and before any later launch can overwrite
  // them; the future carries its end or the error of the launch that should have made the buffer.
  std::future<void> read(const BufferPtr& buffer, std::function<void(std::span<const std::byte>)> reader);

  void synchronize();  // returns when everything launched so far has ended; does not throw launch errors
  Memory allocate(std::uint64_t bytes);  // 64-byte aligned; throws Error when memory cannot suffice
  DeviceStats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::runtime
