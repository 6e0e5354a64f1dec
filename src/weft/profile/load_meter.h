// Measures how busy the machine is: how much CPU time this process's threads get, and how much others take.
#pragma once

#include <cstdint>
#include <map>

#include <weft/profile/recording.h>

namespace weft::profile {

// Counts from its construction on, without the calling thread. Only one thread may call take().
class LoadMeter {
 public:
  LoadMeter();
  Load take();

 private:
  struct Thread {
    std::uint64_t cpu_ns = 0, waited_ns = 0;
  };
  void add_threads();

  std::map<int, Thread> threads_;  // last readings; what a thread did before it ended stays in sum_
  Load start_, sum_;
};

}  // namespace weft::profile
