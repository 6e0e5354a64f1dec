// Scratch memory for a thread while it runs a thunk, where it was not planned with the memory of the program.
#pragma once

#include <cstddef>

namespace weft::runtime {

// Returns at least `bytes` bytes, aligned to a cache line, because vectors that cross cache lines are read at half the speed.
// Valid until the calling thread calls this again.
std::byte* scratch_of_this_thread(std::size_t bytes);

}  // namespace weft::runtime
