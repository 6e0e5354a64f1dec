#include <weft/base/log.h>

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::logging {
namespace {

class Log : public testing::Test {
 protected:
  Log() {
    set_sink(
        [this](Channel channel, std::string_view message) { lines_.push_back(concat(name(channel), ": ", message)); });
  }
  ~Log() override {
    set_sink({});
    set_channels("");
  }
  std::vector<std::string> lines_;
};

TEST_F(Log, OnlyChosenChannelsAreWritten) {
  set_channels("recompiles,memory");
  EXPECT_TRUE(enabled(Channel::recompiles));
  EXPECT_FALSE(enabled(Channel::graph_breaks));
  WEFT_LOG(recompiles, "input ", 3, " differs");
  WEFT_LOG(graph_breaks, "not written");
  WEFT_LOG(memory, 1.5);
  EXPECT_THAT(lines_, testing::ElementsAre("recompiles: input 3 differs", "memory: 1.5"));
}

TEST_F(Log, NothingIsEvaluatedWhenOff) {
  set_channels("");
  int evaluated = 0;
  WEFT_LOG(perf_hints, ++evaluated);
  EXPECT_EQ(evaluated, 0);
  set_channels("perf_hints");
  WEFT_LOG(perf_hints, ++evaluated);
  EXPECT_EQ(evaluated, 1);
}

TEST_F(Log, AllMeansEveryChannel) {
  set_channels("all");
  EXPECT_TRUE(enabled(Channel::graph_breaks));
  EXPECT_TRUE(enabled(Channel::launches));
}

TEST_F(Log, AMisspelledChannelNamesThoseThatExist) {
  set_channels("memory");
  try {
    set_channels("memory,recompile");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("WEFT_LOGS: there is no channel 'recompile'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("recompiles"));
  }
  EXPECT_TRUE(enabled(Channel::memory));  // an error changes nothing
}

TEST_F(Log, ThreadsDoNotMixLines) {
  set_channels("launches");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i) WEFT_LOG(launches, std::string(50, static_cast<char>('a' + t)));
    });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_EQ(lines_.size(), 400u);
  for (const auto& line : lines_) EXPECT_EQ(line, concat("launches: ", std::string(50, line.back())));
}

}  // namespace
}  // namespace weft::logging
