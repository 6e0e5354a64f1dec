// Shared by tests of what happens where the system starts no more threads.
#pragma once

#include <cstddef>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>
#include <system_error>

namespace weft {

// No thread can be started during its lifetime: each would get a stack that exceeds the address space.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t greedy;
    pthread_attr_init(&greedy);
    pthread_attr_setstacksize(&greedy, std::size_t{1} << 50);
    pthread_setattr_default_np(&greedy);
    pthread_attr_destroy(&greedy);
    EXPECT_THROW(std::jthread([] {}), std::system_error);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t usual_;
};

}  // namespace weft
