// A Thunk is one operation inside an executable: a kernel, a matmul, a copy, a host call. It declares what it reads and writes,
// and its stream; schedule.h derives from these which thunks may run concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::runtime {

// The place of a value during a launch: bytes of one of the executable's allocations.
struct Slice {
  std::uint32_t allocation = 0;
  std::uint64_t offset = 0, bytes = 0;

  friend bool operator==(const Slice&, const Slice&) = default;
};

// What a thunk gets to know of a launch.
struct Launch {
  std::span<std::byte* const> bases;  // address of each allocation
  std::uint64_t step = 0;             // number of the launch, for messages
  std::uint32_t device = 0;           // position in the mesh of the logical device that the thunk runs for
  const void* context = nullptr;      // passed on from the caller of Device::launch to host functions
  // On a device with a queue of its own, such as a GPU: that queue, of a type that belongs to the kind of the device. Null elsewhere.
  const void* queue = nullptr;

  template <class T = std::byte>
  T* at(const Slice& slice) const {
    return reinterpret_cast<T*>(bases[slice.allocation] + slice.offset);
  }
};

// The origin of a thunk, for messages and profiles.
struct ThunkInfo {
  std::string name;      // fusion.12, dot_general.3; unique in the executable
  std::string category;  // loop fusion, reduction fusion, dot, convolution, copy, host...
  std::string source;    // the user's file:line
  std::string scope;     // the module path
  double flops = 0;      // per run
  double bytes = 0;      // read and written per run
  // For a collective: how long the link between the devices is predicted to take.
  double link_seconds = 0;
};

enum class StreamKind : std::uint8_t {
  compute,        // kernels
  copy,           // between host and device, and between devices
  communication,  // collectives
  host,           // functions of the host
};
inline constexpr std::size_t stream_kinds = 4;

class Thunk {
 public:
  virtual ~Thunk() = default;
  // Does the work, on the calling thread and the kernel threads (parallel_for). Const and reentrant: the state of a run lives
  // in the launch. Throws Error for errors in the user's data.
  virtual void run(const Launch& launch) const = 0;
  // Does the work of all logical devices of a mesh, whose launches are given in the order of the mesh.
  virtual void run_together(std::span<const Launch> launches) const {
    for (const Launch& launch : launches) run(launch);
  }
  // Makes what the first run would have to make; called by the executable's Preparation, if it has one. Thread-safe.
  virtual void prepare() const {}

  ThunkInfo info;
  // Everything that run() touches; its scratch memory counts as writes.
  std::vector<Slice> reads, writes;
  StreamKind stream = StreamKind::compute;
  // Whether run() passes its work to Launch::queue and returns before it is done. All other thunks work on the host. A device whose memory
  // the host does not see copies for them what they read and write.
  bool on_device = false;
  bool has_side_effect = false;  // runs after all earlier thunks that have a side effect
  bool meets = false;            // the devices of a mesh exchange data in it, so only run_together does its work
};

}  // namespace weft::runtime
