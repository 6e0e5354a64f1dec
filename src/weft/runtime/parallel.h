// The only pool of kernel threads: OpenMP's, which oneDNN uses as well. A build with WEFT_OPENMP off has a pool of std::thread
// instead, for ThreadSanitizer, which cannot see libgomp's synchronisation.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weft::runtime {

// The number of threads that parallel_for uses, including the caller. It is set with the knob WEFT_NUM_THREADS (default: the
// CPUs this process may use) or here, between launches.
int thread_count();
void set_thread_count(int count);

// Returns the number of threads that kernels should use now: thread_count(), or fewer while other programs keep CPUs busy
// (cpu_share.h) or other devices compute. With the knob WEFT_SHARE_CPUS=0 it is always thread_count(). It never changes
// results.
int threads_now();

// Tells, for the lifetime of this object, that a device runs kernels. Devices that do so at the same time share the CPUs.
class Computing {
 public:
  Computing();
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

// For tests: pretends, for the lifetime of this object, that other programs leave `cpus` CPUs to kernels.
class CpusLeft {
 public:
  explicit CpusLeft(int cpus);
  ~CpusLeft();
  CpusLeft(const CpusLeft&) = delete;
  CpusLeft& operator=(const CpusLeft&) = delete;
};

// Makes the calling thread use thread_count() threads for OpenMP regions that it starts itself, as oneDNN does. Cheap if
// nothing changed.
void adopt_thread_count();

// Makes the calling thread use one thread for OpenMP regions that it starts itself, for the lifetime of this object.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;
};

// Makes parallel_for run on the calling thread alone, for the lifetime of this object.
class Serially {
 public:
  Serially();
  ~Serially();
  Serially(const Serially&) = delete;
  Serially& operator=(const Serially&) = delete;

 private:
  bool before_;
};

// Makes kernels run on the calling thread alone, for the lifetime of this object, and leaves the number of threads for OpenMP
// regions that the thread starts itself as it was: for a thread that is not weft's.
class BorrowedThread {
 public:
  BorrowedThread();
  ~BorrowedThread();
  BorrowedThread(const BorrowedThread&) = delete;
  BorrowedThread& operator=(const BorrowedThread&) = delete;

 private:
  Serially alone_;
  int before_;
};

// Calls body(context, begin, end) on ranges that cover [0, count), each at least `grain` long where possible; returns when all
// are done. A body may keep what it needs on its stack. The ranges depend only on count, grain and thread_count(); which thread
// runs a range depends on threads_now() as well. Small counts, and calls from within a body, run on the calling thread. The
// division into ranges must never change results. If bodies throw, rethrows the exception of the lowest range after all are
// done.
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
