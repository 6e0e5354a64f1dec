// What parallel_for asks of a pool of threads; implemented by parallel_openmp.cpp or parallel_threads.cpp.
#pragma once

namespace weft::runtime::pool {

// Calls part(context, i) for i in [0, parts) on `threads` threads, part 0 on the caller's; returns when all are done. Parts do
// not throw.
void run(int parts, int threads, void (*part)(void* context, int index), void* context);

// Is this thread inside a part?
bool inside();

// The pool's threads for what the calling thread starts by other means.
void set_threads(int threads);

// Whether threads that wait for work, or for each other, sleep almost at once instead of spinning for some milliseconds. They
// should where others need the CPUs; on an idle machine waking them takes longer than most kernels. Not for several threads at a time.
void sleep_early(bool early);

}  // namespace weft::runtime::pool
