// Measures how busy the machine is: what this process's threads get of the CPUs, and what others take.
#pragma once

#include <cstdint>
#include <map>

#include <weft/profile/recording.h>

namespace weft::profile {

// Counts from its making on, without the thread that asks. One thread may ask.
class LoadMeter {
 public:
  LoadMeter();
  Load take();

 private:
  struct Thread {
    std::uint64_t cpu_ns = 0, waited_ns = 0;
  };
  void add_threads();

  std::map<int, Thread> threads_;  // as they were last seen: what a thread did before it ended stays in the sum
  Load start_, sum_;
};

}  // namespace weft::profile
