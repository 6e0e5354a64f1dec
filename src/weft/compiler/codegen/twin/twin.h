// The twin of a GPU: the host runs the same generated kernels, to test them where there is no GPU. The threads of a block are fibers of one
// host thread, which takes turns among them at barriers and exchanges, in an order drawn by a seed. Code that relies on an order, on numbers
// in shared memory that nobody stored, or on more shared memory than it asked for gives wrong results or stops there.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <weft/compiler/loop/gpu_grid.h>

namespace weft::compiler::twin {

// A kernel of the twin: takes the addresses of its arguments, as the driver of a GPU does.
using Function = void (*)(void** arguments);

// Runs all threads of a kernel. Throws InternalError, which names the kernel and the threads, if some threads of a block wait at a barrier
// that others never reach, or some threads of a warp at an exchange. Thread-safe.
void run(const std::string& name, Function function, const GpuGrid& grid, void** arguments);

// Returns how many kernels began to run in this process.
std::uint64_t launch_count();

// Sets the order in which threads and blocks run, for all launches that begin later.
void set_seed(std::uint64_t seed);

// The functions that generated code calls: index, exchange, barrier, shared.
struct Symbol {
  const char* name;
  void* address;
};
std::span<const Symbol> symbols();

}  // namespace weft::compiler::twin
