// A process that was forked has none of the threads that run programs, so whatever waits for them would wait forever.
#pragma once

namespace weft::pjrt {

// From now on, processes that are forked from this one are known as such.
void watch_forks();

// Throws Error in a process that was forked. To be called before work is given to the device.
void require_not_forked();

}  // namespace weft::pjrt
