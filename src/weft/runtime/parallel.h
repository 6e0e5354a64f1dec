// The one pool of kernel threads: OpenMP's, which oneDNN uses too. A build with WEFT_OPENMP off has a pool of std::thread
// instead, for ThreadSanitizer, which cannot see libgomp's synchronisation.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weft::runtime {

// Number of threads that parallel_for uses, the caller among them. Set with the knob WEFT_NUM_THREADS (default: the CPUs this
// process may use) or here, between launches.
int thread_count();
void set_thread_count(int count);

// The number of threads that kernels should use now: thread_count(), or fewer while other programs keep CPUs busy (cpu_share.h)
// or other devices compute. The knob WEFT_SHARE_CPUS=0 makes it thread_count() always. It never changes results.
int threads_now();

// While it lives, a device runs kernels. Devices that do so at the same time share the CPUs.
class Computing {
 public:
  Computing();
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

// For tests: while it lives, the machine is as busy as if it left so many CPUs to kernels.
class CpusLeft {
 public:
  explicit CpusLeft(int cpus);
  ~CpusLeft();
  CpusLeft(const CpusLeft&) = delete;
  CpusLeft& operator=(const CpusLeft&) = delete;
};

// Makes what the calling thread starts through OpenMP itself (oneDNN) use thread_count() threads. Cheap when nothing changed.
void adopt_thread_count();

// While it lives, the calling thread starts one thread through OpenMP itself.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;
};

// Calls body(context, begin, end) on ranges that cover [0, count), at least `grain` long each where possible; returns when all
// are done. A body may keep what it needs on its stack; which ranges there are depends on count, grain and thread_count() alone,
// while which thread runs one depends on threads_now() too. Small counts, and calls from within a body, run on the calling thread. How the work is cut must never
// change results. An exception of a body is rethrown when all are done: of several, that of the lowest range.
void parallel_for(std::int64_t count, std::int64_t grain,
                  void (*body)(void* context, std::int64_t begin, std::int64_t end), void* context);

template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, F&& body) {
  parallel_for(
      count, grain,
      [](void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace weft::runtime
