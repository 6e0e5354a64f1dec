// Predicts when the thunks of a program run that is launched again and again, each time on results of the time before, from given times of
// the thunks. Nothing is run, and no memory is needed. The host is taken to be always ahead.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <weft/runtime/executable.h>

namespace weft::runtime {

// One run of a thunk.
struct PredictedRun {
  const Thunk& thunk;
  StreamKind stream;
  std::uint64_t launch;
  double begin_us, end_us;
  // The thunk whose end it waited for, on another stream or in the launch before; null if it waited for none.
  const Thunk* waited_for;
  std::uint64_t waited_for_launch;
};

// Returns when each launch has ended. `ran` is called for each thunk; null: nobody asks.
std::vector<double> repeat(const Executable& executable, std::uint64_t launches,
                           const std::function<double(const Thunk& thunk)>& thunk_us,
                           const std::function<void(const PredictedRun& run)>& ran = {});

}  // namespace weft::runtime
