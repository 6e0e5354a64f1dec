// How fast a program can run again and again, each time on results of the time before: no order of its thunks is faster.
#pragma once

#include <functional>

#include <weft/runtime/executable.h>

namespace weft::runtime {

// The least that a launch takes, in microseconds: the work of its busiest stream, or the longest chain of thunks from one launch to the next.
struct CriticalPath {
  double compute_us = 0, communication_us = 0;  // the work of these streams
  double chain_us = 0;                          // of thunks that wait for each other, from launch to launch

  double period_us() const;
};
CriticalPath critical_path(const Executable& executable, const std::function<double(const Thunk& thunk)>& thunk_us);

}  // namespace weft::runtime
