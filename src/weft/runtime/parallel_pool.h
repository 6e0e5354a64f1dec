// The interface of parallel_for to a pool of threads; implemented by parallel_openmp.cpp or parallel_threads.cpp.
#pragma once

namespace weft::runtime::pool {

// Calls part(context, i) for i in [0, parts) on `threads` threads, part 0 on the calling one; returns when all are done. Parts
// must not throw.
void run(int parts, int threads, void (*part)(void* context, int index), void* context);

// The number of threads for parallel regions that the calling thread starts by other means.
int threads();
void set_threads(int threads);

// Sets whether threads that wait for work, or for each other, sleep almost at once instead of spinning for some milliseconds.
// They should where others need the CPUs; on an idle machine, waking them takes longer than most kernels. Only one thread at a
// time may call this.
void sleep_early(bool early);

}  // namespace weft::runtime::pool
