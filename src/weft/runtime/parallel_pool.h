// What parallel_for asks of a pool of threads; implemented by parallel_openmp.cpp or parallel_threads.cpp.
#pragma once

namespace weft::runtime::pool {

// Calls part(context, i) for i in [0, parts), each on its own thread, part 0 on the caller's; returns when all are done. Parts
// do not throw.
void run(int parts, void (*part)(void* context, int index), void* context);

// Is this thread inside a part?
bool inside();

// The pool's threads for what the calling thread starts by other means.
void set_threads(int threads);

}  // namespace weft::runtime::pool
