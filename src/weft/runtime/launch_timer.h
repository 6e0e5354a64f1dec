// Takes the times of the thunks of one launch: adds them up, and adds them to the trace, as far as each is switched on. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/base/trace.h>
#include <weft/runtime/stream.h>
#include <weft/runtime/thunk_tallies.h>

namespace weft::runtime {

struct LaunchRecord;

class LaunchTimer final : public ThunkTimer {
 public:
  LaunchTimer(const LaunchRecord& launch, ThunkTallies& tallies) : launch_(launch), tallies_(tallies) {}

  // Returns whether times are measured now.
  bool is_on() const { return tallies_.is_on() || trace::enabled(); }
  void ran(std::size_t thunk, std::uint64_t begin_ns, std::uint64_t end_ns) override;

 private:
  const LaunchRecord& launch_;
  ThunkTallies& tallies_;
};

}  // namespace weft::runtime
