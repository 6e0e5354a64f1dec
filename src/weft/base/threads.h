// Starting threads on a system that may refuse more of them (RLIMIT_NPROC, a container's limit, too little memory for a stack).
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

#include <system_error>

namespace weft {

// Starts up to `count` threads that each call a copy of `work`. Returns fewer, or none, if the system starts no more, so the caller must
// be able to do all the work itself. The threads are joined when the vector is cleared or destroyed.
template <class Work>
[[nodiscard]] std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
  }
  return threads;
}

}  // namespace weft
