// A Thunk is one launch inside an executable: a kernel, a matmul, a copy, a host call. It declares what it reads and writes, and
// the stream that it belongs to: schedule.h derives from that what may run beside what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::runtime {

// Where a value lives during a launch: bytes of one of the executable's allocations.
struct Slice {
  std::uint32_t allocation = 0;
  std::uint64_t offset = 0, bytes = 0;

  friend bool operator==(const Slice&, const Slice&) = default;
};

// What a thunk sees of one launch.
struct Launch {
  std::span<std::byte* const> bases;  // address of each allocation
  std::uint64_t step = 0;             // number of the launch, for messages

  template <class T = std::byte>
  T* at(const Slice& slice) const {
    return reinterpret_cast<T*>(bases[slice.allocation] + slice.offset);
  }
};

// What a thunk was made from, for messages and profiles.
struct ThunkInfo {
  std::string name;      // fusion.12, dot_general.3: unique in the executable
  std::string category;  // loop fusion, reduction fusion, dot, convolution, copy, host...
  std::string source;    // user file:line that led to it
  std::string scope;     // module path
  double flops = 0;      // of one run
  double bytes = 0;      // read and written by one run
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
  // Does the work, on the calling thread and the kernel threads (parallel_for). Const and reentrant: state of a run lives in the
  // launch. Throws Error for what the user's data caused.
  virtual void run(const Launch& launch) const = 0;
  // What the first run would have to make beforehand, for those that have an executable's Preparation do it. Thread-safe.
  virtual void prepare() const {}

  ThunkInfo info;
  // All that run() touches, memory it works in among the writes.
  std::vector<Slice> reads, writes;
  StreamKind stream = StreamKind::compute;
  bool has_side_effect = false;  // runs after the thunks before it that have one
};

}  // namespace weft::runtime
