// Sleeping without the slack of 50 us by which the kernel may let a thread sleep longer, to save wake-ups.
#pragma once

#include <chrono>
#include <thread>

#include <sys/prctl.h>

namespace weft::runtime {

// Sleeps until `end`. The calling thread has no slack from then on.
inline void sleep_exactly(std::chrono::steady_clock::time_point end) {
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // nanoseconds, of this thread
  std::this_thread::sleep_until(end);
}

}  // namespace weft::runtime
