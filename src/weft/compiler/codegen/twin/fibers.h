// The fibers and the shared memory of a block that runs on the twin of a GPU.
#pragma once

#include <cstddef>
#include <memory>
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace weft::compiler::twin {

// A place in the program with a stack of its own, which one host thread leaves and comes back to. A fiber whose function has not returned
// may be destroyed: what lies on its stack is forgotten.
class Fiber {
 public:
  Fiber() = default;  // of the host thread itself, which the first switch leaves
  // `function` must not return.
  Fiber(void (*function)(void* argument), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Leaves this fiber, which is running, for another one; returns when something switches back.
  void switch_to(Fiber& other);

 private:
  static void begin();
  void leave_for(Fiber& other);  // switches the registers

#ifdef __x86_64__
  void* context_ = nullptr;  // where its registers lie on its stack
#else
  ucontext_t context_{};
#endif
  std::byte* stack_ = nullptr;
  void (*function_)(void* argument) = nullptr;
  void* argument_ = nullptr;
#ifdef __SANITIZE_ADDRESS__
  const void* known_stack_ = nullptr;  // of the host thread too, once it has been left
  std::size_t known_bytes_ = 0;
#endif
};

// Memory full of garbage. Behind it lies a page that faults when it is touched.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  std::byte* begin() const { return begin_; }
  // Returns whether something was stored between its end and the next multiple of 64 bytes.
  bool was_exceeded() const;

 private:
  std::size_t bytes_;
  std::byte *begin_, *end_;
};

}  // namespace weft::compiler::twin
