// A Device computes: it owns memory and runs launches in the order in which they were made, on its own stream. launch() and
// read() return at once; the host waits only in Event::wait, Buffer::bytes and when the run-ahead bound is reached.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/runtime/buffer.h>
#include <weft/runtime/read.h>
#include <weft/runtime/thunk_times.h>

namespace weft::runtime {

struct DeviceOptions {
  int run_ahead_launches = 8;  // bound on launches that are accepted and not yet done: the next one waits
  // Bound on the bytes that the outputs of these launches take. One launch is always allowed.
  std::uint64_t run_ahead_bytes = std::uint64_t{4} << 30;
  std::uint64_t memory_bytes = 0;  // bound of allocate(); 0: what this process may still take
  bool synchronous = false;        // launch() returns when the work is done, for debugging
  bool profile = false;            // calls set_profiling(true), and prints a table to stderr when the device ends

  static DeviceOptions from_knobs();
};

struct DeviceStats {
  std::uint64_t launches = 0;
  std::uint64_t failed_launches = 0;       // with an error of their own
  std::uint64_t skipped_launches = 0;      // because an input carried an error
  std::uint64_t host_waits = 0;            // times that the host reached the run-ahead bound
  std::uint64_t host_wait_ns = 0;          // the time it waited there; for a simulated device, the time of all waits
  std::uint64_t host_ns = 0;               // for a simulated device, the time on the host's clock
  std::uint64_t peak_run_ahead = 0;        // most launches that were accepted and not yet done at once
  std::uint64_t peak_run_ahead_bytes = 0;  // most bytes that the outputs of such launches took at once
  // Donated inputs whose bytes had to be copied, because something else could still reach them.
  std::uint64_t donation_copies = 0;
  std::uint64_t busy_ns = 0, idle_ns = 0;  // of the device's thread, from the first launch to the end of the last
  std::uint64_t bytes_in_use = 0, peak_bytes_in_use = 0, bytes_limit = 0;
  std::uint64_t system_allocations = 0;  // blocks of memory taken from the system; does not grow when steps repeat
};

class DeviceBackend;
struct Executable;
struct LaunchRecord;

class Device {
 public:
  // The backend determines the kind of the device: see cpu/cpu_device.h and simulated/simulated_device.h.
  Device(std::unique_ptr<DeviceBackend> backend, DeviceOptions options);
  virtual ~Device();  // waits for all launches
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  DeviceId id() const { return id_; }
  // Returns the target for which its programs are compiled, by the name that compilers know: native, sm_90.
  const std::string& target() const { return target_; }

  // Accepts one run of `executable` and returns its outputs as promised buffers, in order. Throws Error unless `inputs` match
  // executable.inputs in number and type, belong to this device or to the host, and were not donated before. An input that an
  // output takes over (Output::donated_input) loses its memory to it; if something else can still reach these bytes (a holder,
  // another buffer, another input of the launch), the output gets a copy instead. If an input's event carries an error, the
  // launch is skipped and its outputs carry the same error: the first error wins. If a thunk fails, the outputs carry its error
  // with the names of thunk and executable and the number of the launch.
  std::vector<BufferPtr> launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs);
  // Does the same, but puts the outputs into `outputs`, which keeps its memory from launch to launch. If it is not empty, it
  // holds buffers that promise() made for the types of the executable's outputs. It is left unchanged if the launch is refused.
  // Returns for how many nanoseconds the host waited because it was too far ahead.
  std::uint64_t launch(std::shared_ptr<const Executable> executable, std::span<const BufferPtr> inputs,
                       std::vector<BufferPtr>& outputs);
  // Does the same with less work for the host. As soon as the launch can no longer be refused, `inputs` is emptied, so that
  // outputs are made in the memory of buffers that end there, which is still in a cache. Before launch() may wait, it calls
  // `accepted`, which must not throw; after that it does not access `outputs` any more.
  std::uint64_t launch(std::shared_ptr<const Executable> executable, std::vector<BufferPtr>&& inputs,
                       std::vector<BufferPtr>& outputs, const std::function<void()>& accepted);

  // Does the same, and host functions get `context`, which lives until the launch has ended. Returns the event of the end of the
  // launch. A launch of a program that took only some microseconds before may have ended when this returns: while the device has
  // nothing else to do, it runs on the calling thread.
  std::shared_ptr<Event> launch_with_context(std::shared_ptr<const Executable> executable,
                                             std::vector<BufferPtr>&& inputs, std::vector<BufferPtr>& outputs,
                                             std::shared_ptr<const void> context);

  // Replaces `outputs` by promised buffers of these types that come with one event: the outputs of a future launch. A launch
  // makes its own outputs; this is for callers who need them before they know the executable.
  void promise(std::span<const Type> types, std::vector<BufferPtr>& outputs);

  // Returns a new buffer with a copy of `bytes`, which must have the size of the type.
  BufferPtr upload(Type type, std::span<const std::byte> bytes);
  // The same for the devices of a mesh. Throws Error if the sizes do not divide.
  BufferPtr upload(Type type, std::span<const std::byte> bytes, LayoutId layout);
  // The same without waiting for the copy: the device's copy stream makes it, beside what the device computes, and the buffer is
  // promised until then. `owner` keeps `bytes` alive until they are copied; nobody may change them meanwhile. A few bytes are copied
  // at once, because handing them over takes longer.
  BufferPtr upload(Type type, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  // Passes the buffer's bytes to `read` when they are there, before any later launch can overwrite them. Read tells on which
  // thread.
  void read(const BufferPtr& buffer, ReadPtr read);
  // Does the same with a function.
  ReadPtr read(const BufferPtr& buffer, std::function<void(std::span<const std::byte>)> reader);

  void synchronize();  // waits for everything launched so far; does not throw launch errors
  // Tells that the host did work for `items` nodes, inputs or outputs. Only the clock of a simulated device uses it.
  void host_works(std::uint64_t items);
  Memory allocate(std::uint64_t bytes);  // 64-byte aligned; throws Error if there is not enough memory
  void release_cached();                 // returns unused memory to the system
  DeviceStats stats() const;
  // Returns how long the device was idle before each of the last launches that ended (at most 1024), the oldest first. For a GPU, these
  // are the last launches while profiling was on, by its own clock; if there were none, the times are those that the host saw.
  std::vector<std::uint64_t> recent_gaps_ns() const;

  // While profiling is on, the times of all thunks are added up; the sums are kept until it is switched on again.
  void set_profiling(bool on);
  std::vector<ThunkTime> thunk_times() const;  // of the launches that have ended

 private:
  void promise_outputs(LaunchRecord& record, std::vector<BufferPtr>& outputs);
  struct LaunchArguments;
  std::uint64_t launch(LaunchArguments arguments, std::vector<BufferPtr>& outputs,
                       const std::function<void()>& accepted);

  struct Impl;
  std::unique_ptr<Impl> impl_;
  const DeviceId id_;
  const std::string target_;
};

}  // namespace weft::runtime
