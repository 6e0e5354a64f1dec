// The processor hint for each iteration of a loop that waits for another thread.
#pragma once

namespace weft::runtime {

inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` takes no time on most cores, so it would not relieve the memory
#endif
}

}  // namespace weft::runtime
