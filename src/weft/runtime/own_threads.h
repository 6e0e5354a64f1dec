// Runs kernels on threads other than a device's.
#pragma once

#include <functional>

namespace weft::runtime {

// Runs `work` on a thread that ends with it, together with its kernel threads (parallel.h). Every thread that starts kernels
// keeps kernel threads of its own, and when there are more of these than CPUs, OpenMP lets all of them sleep between kernels;
// waking them then takes longer than many kernels do. Rethrows what `work` throws.
void run_with_own_threads(const std::function<void()>& work);

}  // namespace weft::runtime
