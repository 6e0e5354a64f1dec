// Work in child processes: every kind of end is reported for its piece, and no piece hides another.
#include <weft/cli/isolated.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<IsolatedOutcome> outcomes(std::size_t pieces, const IsolationLimits& limits,
                                      const std::function<std::string(std::size_t)>& piece) {
  std::vector<IsolatedOutcome> outcomes(pieces, Status::failed("it has not ended"));
  run_isolated(pieces, limits, piece, [&](std::size_t i, const IsolatedOutcome& outcome) { outcomes[i] = outcome; });
  return outcomes;
}

TEST(Isolated, EveryEndIsTold) {
  const auto ended = outcomes(6, {.processes = 2, .time = std::chrono::seconds(1)}, [](std::size_t i) -> std::string {
    switch (i) {
      case 0: return "fine";
      case 1: std::raise(SIGKILL); break;
      case 2: throw std::runtime_error("no luck");
      case 3: std::this_thread::sleep_for(std::chrono::hours(1)); break;
      case 4: ::_exit(7);
      default: break;
    }
    return "";
  });
  ASSERT_TRUE(ended[0].ok() && ended[5].ok());
  EXPECT_EQ(*ended[0], "fine");
  EXPECT_EQ(ended[1].reason(), "Killed");
  EXPECT_EQ(ended[2].reason(), "exception: no luck");
  EXPECT_EQ(ended[3].reason(), "took more than 1 s");
  EXPECT_EQ(ended[4].reason(), "exit code 7");
  EXPECT_EQ(*ended[5], "");
}

TEST(Isolated, LongAnswersArriveWhole) {
  const auto ended = outcomes(3, {.processes = 3}, [](std::size_t i) { return std::string(1'000'000 * i, 'x'); });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ended[i]->size(), 1'000'000 * i);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Isolated, MemoryIsLimited) {
  const auto ended = outcomes(1, {.bytes = std::uint64_t{256} << 20},
                              [](std::size_t) { return std::string(std::size_t{1} << 30, 'x').substr(0, 1); });
  EXPECT_THAT(ended[0].reason(), HasSubstr("bad_alloc"));
}
#endif

}  // namespace
}  // namespace weft::cli
