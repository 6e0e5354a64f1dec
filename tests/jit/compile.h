// Shared by the tests of compile(fn).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/log.h>
#include <weft/weft.h>

namespace weft {

// Returns how often a function was recorded and compiled so far.
template <class F>
std::pair<std::uint64_t, std::uint64_t> counts(const Compiled<F>& compiled) {
  const Explanation e = compiled.explain();
  return {e.recorded, e.compiles};
}
using Counts = std::pair<std::uint64_t, std::uint64_t>;

class Compile : public testing::Test {
 protected:
  Compile() {
    clear_graph_cache();
    manual_seed(0);
  }
  // Returns a compiled function that adds 1 and counts its runs.
  auto counted() {
    return compile([this](const Tensor& a) {
      ++runs;
      return a + 1;
    });
  }
  int runs = 0;  // of the functions that a test compiles
  const Tensor x = tensor({1.f, 2.f, 3.f}), y = tensor({10.f, 20.f, 30.f}), longer = tensor({1.f, 2.f, 3.f, 4.f});
};

// Collects the log of some channels during its lifetime.
class LogOf {
 public:
  explicit LogOf(const std::string& channels) {
    logging::set_channels(channels);
    logging::set_sink([this](logging::Channel, std::string_view message) { text += std::string(message) + '\n'; });
  }
  ~LogOf() {
    logging::set_sink(nullptr);
    logging::set_channels("");
  }
  LogOf(const LogOf&) = delete;
  LogOf& operator=(const LogOf&) = delete;

  std::string text;
};

}  // namespace weft
