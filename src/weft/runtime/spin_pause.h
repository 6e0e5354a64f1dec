// What a loop that waits for another thread says to the processor at every turn.
#pragma once

namespace weft::runtime {

inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` takes no time on most cores, so a loop of it would be no rest for the memory
#endif
}

}  // namespace weft::runtime
