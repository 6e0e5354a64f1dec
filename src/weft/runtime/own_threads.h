// For work of kernels on other threads than a device's.
#pragma once

#include <functional>

namespace weft::runtime {

// Runs `work` on a thread that ends with it, and its kernel threads (parallel.h) too. Every thread that starts kernels keeps kernel
// threads of its own, and where these are more than there are CPUs, OpenMP lets all of them sleep between kernels: waking them then
// costs more than many a kernel takes. Rethrows what `work` throws.
void run_with_own_threads(const std::function<void()>& work);

}  // namespace weft::runtime
