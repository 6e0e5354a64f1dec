// The one pool of kernel threads: OpenMP's, which oneDNN uses too.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weft::runtime {

// Number of threads that parallel_for uses. Set with the knob WEFT_NUM_THREADS (default: the CPUs this process may use) or here,
// between launches.
int thread_count();
void set_thread_count(int threads);

// Calls body(context, begin, end) on ranges that cover [0, count), at least `grain` long each where possible; returns when all
// are done. Small counts run on the calling thread. How the work is cut must never change results.
void parallel_for(std::int64_t count, std::int64_t grain, void (*body)(void* context, std::int64_t begin, std::int64_t end), void* context);

template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, F&& body) {
  parallel_for(
      count, grain, [](void* context, std::int64_t begin, std::int64_t end) { (*static_cast<std::remove_reference_t<F>*>(context))(begin, end); },
      &body);
}

}  // namespace weft::runtime
