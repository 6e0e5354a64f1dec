// A Stream is an in-order queue of a device. It does its work in the order in which it was given; the work may be done when the
// call returns, as on a CPU, or later, as on an accelerator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <weft/runtime/executable.h>
#include <weft/runtime/thunk.h>

namespace weft::runtime {

// The error of a thunk.
struct StreamError {
  const Thunk* thunk = nullptr;  // null if something else failed
  std::exception_ptr error;      // null if nothing failed
};

// Gets a call when a stream has reached a point.
class Milestone {
 public:
  // Tells that everything given to the stream before is done; `error` is the outcome of what was given since begin(). Called on
  // any thread; must not throw.
  virtual void reached(StreamError error) = 0;

 protected:
  ~Milestone() = default;
};

// Gets the times of a launch's thunks while they are measured.
class ThunkTimer {
 public:
  // Tells when the thunk of this index ran, in the time of trace::now_ns. Called on any thread; must not throw.
  virtual void ran(std::size_t thunk, std::uint64_t begin_ns, std::uint64_t end_ns) = 0;

 protected:
  ~ThunkTimer() = default;
};

// Used by one thread at a time.
class Stream {
 public:
  Stream() = default;
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Starts a launch of `executable`: its thunks follow, up to end(). Throws Error if they cannot be made ready.
  virtual void begin(const Executable& executable) = 0;
  // Passes a thunk to the stream. The addresses in `launch` must stay valid until the stream has reached end(). Throws what the
  // thunk throws if it runs at once.
  virtual void run(const Thunk& thunk, const Launch& launch) = 0;
  // Does the same and tells `timer` when it ran, before the next milestone is reached. `index` is the thunk's in the executable. For
  // streams that have done the work when run() returns; others override it.
  virtual void run_timed(const Thunk& thunk, const Launch& launch, std::size_t index, ThunkTimer& timer);
  // Passes all thunks of a launch at once, if that is possible: otherwise returns false, and they must be passed one by one.
  virtual bool run_all(const std::shared_ptr<const Executable>&, const Launch&) { return false; }
  // Passes a copy within the device's memory to the stream.
  virtual void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) = 0;
  // Ends the launch that begin() started, also if begin() or run() threw. The milestone must live until it is reached.
  virtual void end(Milestone& milestone) = 0;
  // Returns when everything given is done and all milestones have been called.
  virtual void drain() = 0;
};

}  // namespace weft::runtime
