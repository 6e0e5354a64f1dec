// Memory that a thread works in while it runs a thunk, where that was not planned with the memory of its program.
#pragma once

#include <cstddef>

namespace weft::runtime {

// Of at least so many bytes, from the start of a cache line on: vectors that lie across two are read at half the speed. The
// calling thread's until it asks again.
std::byte* scratch_of_this_thread(std::size_t bytes);

}  // namespace weft::runtime
