// A Device computes: it owns memory and runs launches one after the other, in the order in which they were made, on its own
// stream. launch() and read() return at once; the host waits only in Event::wait, Buffer::bytes and when run-ahead is full.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/read.h>
#include <weft/runtime/thunk_times.h>

namespace weft::runtime {

struct DeviceOptions {
  int run_ahead_launches = 8;  // launches that may be accepted and not yet done: the next one waits
  std::uint64_t run_ahead_bytes = std::uint64_t{4}
                                  << 30;  // bytes that the outputs of such launches may take; one launch always may
  std::uint64_t memory_bytes = 0;         // allocate() gives out no more than this; 0: what this process may still take
  bool synchronous = false;               // launch() returns when the work is done (debugging)
  bool profile = false;                   // set_profiling(true), and a table on stderr when the device ends

  static DeviceOptions from_knobs();
};

struct DeviceStats {
  std::uint64_t launches = 0;
  std::uint64_t failed_launches = 0;       // with an error of their own
  std::uint64_t skipped_launches = 0;      // because an input carried an error
  std::uint64_t host_waits = 0;            // times the host met the run-ahead bound
  std::uint64_t host_wait_ns = 0;          // how long it waited there; of a simulated device: for anything
  std::uint64_t host_ns = 0;               // of a simulated device: the time on the host's clock
  std::uint64_t peak_run_ahead = 0;        // most launches that were accepted and not yet done
  std::uint64_t peak_run_ahead_bytes = 0;  // most bytes that the outputs of such launches took
  std::uint64_t donation_copies =
      0;  // donated inputs whose bytes had to be copied, for something else still reached them
  std::uint64_t busy_ns = 0, idle_ns = 0;  // of the device's thread between the first launch and the end of the last
  std::uint64_t bytes_in_use = 0, peak_bytes_in_use = 0, bytes_limit = 0;
  std::uint64_t system_allocations = 0;  // blocks of memory taken from the system: none any more when steps repeat
};

class DeviceBackend;
struct Executable;
struct LaunchRecord;

class Device {
 public:
  // Of the kind that the backend makes it: see cpu/cpu_device.h and simulated/simulated_device.h.
  Device(std::unique_ptr<DeviceBackend> backend, DeviceOptions options);
  virtual ~Device();  // waits for what was launched
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  DeviceId id() const { return id_; }

  // Accepts one run of `executable`; returns its outputs as promised buffers, in order. `inputs` match executable.inputs in
  // number and type, are of this device or the host, and none was donated before: else throws Error. An input that an output
  // takes over (Output::donated_input) loses its memory to it; while something else still reaches those bytes (a holder,
  // another buffer, another input of the launch) the output gets a copy instead. If an input's event carries an error the
  // launch is skipped and its outputs carry the same error: the first error wins. An error of a thunk reaches the outputs with
  // the names of thunk and executable and the number of the launch.
  std::vector<BufferPtr> launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs);
  // The same into `outputs`, which keeps its memory from launch to launch; when it is not empty it holds what promise() made for
  // the types of the executable's outputs. Left as it was when the launch is refused. Returns how many nanoseconds the host
  // waited because it was too far ahead.
  std::uint64_t launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                       std::vector<BufferPtr>& outputs);
  // The same for a host that has no time to lose. As soon as nothing can be refused any more `inputs` is emptied, so that outputs
  // are made in the memory of buffers that end there, which is in a cache. Before it may wait `accepted` is called, which must not
  // throw: `outputs` is not looked at again.
  std::uint64_t launch(std::shared_ptr<const Executable> executable, std::vector<BufferPtr>&& inputs,
                       std::vector<BufferPtr>& outputs, const std::function<void()>& accepted);

  // Replaces `outputs` by buffers of these types, promised with one event: the outputs of one launch to come. A launch makes its
  // own; this is for those who want them before they know the executable.
  void promise(std::span<const Type> types, std::vector<BufferPtr>& outputs);

  // A new buffer with a copy of `bytes` (of the type's size).
  BufferPtr upload(Type type, std::span<const std::byte> bytes);
  // The same without waiting for the copy: the device's copy stream makes it, beside what the device computes, and the buffer is
  // promised until then. `owner` keeps `bytes` alive until they are copied; nobody may change them meanwhile. A few bytes are copied
  // at once, because handing them over takes longer.
  BufferPtr upload(Type type, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  // Hands the buffer's bytes to `read` when they are there, before any later launch can overwrite them; on which thread: see Read.
  void read(const BufferPtr& buffer, ReadPtr read);
  // The same with a function.
  ReadPtr read(const BufferPtr& buffer, std::function<void(std::span<const std::byte>)> reader);

  void synchronize();  // returns when everything launched so far has ended; does not throw launch errors
  // The host did something for `items` nodes, inputs or outputs. Only the clock of a simulated device cares.
  void host_works(std::uint64_t items);
  Memory allocate(std::uint64_t bytes);  // 64-byte aligned; throws Error when memory cannot suffice
  void release_cached();                 // gives memory that nothing uses back to the system
  DeviceStats stats() const;
  // How long the device was idle before each of the last launches that ended, 1024 at most, the oldest first.
  std::vector<std::uint64_t> recent_gaps_ns() const;

  // While on, the time of every thunk is added up; what was added is kept until it is switched on again.
  void set_profiling(bool on);
  std::vector<ThunkTime> thunk_times() const;  // of the launches that have ended

 private:
  void promise_outputs(LaunchRecord& record, std::vector<BufferPtr>& outputs);
  std::uint64_t launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                       std::vector<BufferPtr>* given, std::vector<BufferPtr>& outputs,
                       const std::function<void()>& accepted);

  struct Impl;
  std::unique_ptr<Impl> impl_;
  const DeviceId id_;
};

}  // namespace weft::runtime
