// A Stream is an in-order queue of a device. Work that is given to it is done in the order in which it was given; it may be done
// when the call returns, as on a CPU, or later, as on an accelerator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include <weft/runtime/executable.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

// A thunk that failed.
struct StreamError {
  const Thunk* thunk = nullptr;  // null: something else
  std::exception_ptr error;      // null: nothing failed
};

// Wants to know when a stream has got to a point.
class Milestone {
 public:
  // Everything given to the stream before is done, with this outcome for what was given since begin(). On any thread; must not
  // throw.
  virtual void reached(StreamError error) = 0;

 protected:
  ~Milestone() = default;
};

// Used by one thread at a time.
class Stream {
 public:
  Stream() = default;
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Thunks of a launch of `executable` follow, up to end(). Throws Error when they cannot be made ready.
  virtual void begin(const Executable& executable) = 0;
  // Gives a thunk to the stream. The addresses of `launch` must last until the stream has got to the end. Throws what the thunk
  // throws if it runs at once.
  virtual void run(const Thunk& thunk, const Launch& launch) = 0;
  // Gives a copy within the device's memory to the stream.
  virtual void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) = 0;
  // Ends what begin() began, also where begin() or run() threw. The milestone lives until it is reached.
  virtual void end(Milestone& milestone) = 0;
  // Returns when everything given is done and all milestones have been told.
  virtual void drain() = 0;
};

}  // namespace weft::runtime
