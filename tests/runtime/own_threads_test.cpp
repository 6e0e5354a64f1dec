// Kernels that run on a thread that ends with them.
#include <weft/runtime/own_threads.h>

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

TEST(OwnThreads, RunOnAnotherThreadUntilTheWorkIsDone) {
  std::thread::id ran;
  run_with_own_threads([&] { ran = std::this_thread::get_id(); });
  EXPECT_NE(ran, std::thread::id());
  EXPECT_NE(ran, std::this_thread::get_id());
}

TEST(OwnThreads, WhatTheWorkThrowsIsThrown) {
  EXPECT_THROW(run_with_own_threads([] { throw std::runtime_error("no"); }), std::runtime_error);
}

}  // namespace
}  // namespace weft::runtime
