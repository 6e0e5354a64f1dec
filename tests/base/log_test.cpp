#include <weft/base/log.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>

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

// The knob stands for the variable in a process that starts with it.
TEST_F(Log, AMisspelledChannelOfTheEnvironmentIsAWarningAndTheOthersAreOn) {
  const knobs::Override<knobs::Text> chosen(knobs::logs, " memory , recompile,\tcache");
  detail::channels = detail::unread;
  EXPECT_TRUE(enabled(Channel::memory));
  EXPECT_TRUE(enabled(Channel::cache));
  EXPECT_FALSE(enabled(Channel::recompiles));
  EXPECT_THAT(
      lines_,
      testing::ElementsAre(testing::StartsWith(
          "warnings: WEFT_LOGS: there is no channel 'recompile'; did you mean 'recompiles'? The channels are")));
}

TEST_F(Log, AMisspelledVariableIsAWarning) {
  setenv("WEFT_CACHE_DIRS", "/", 1);
  detail::channels = detail::unread;
  EXPECT_TRUE(enabled(Channel::warnings));
  EXPECT_TRUE(enabled(Channel::warnings));
  unsetenv("WEFT_CACHE_DIRS");
  EXPECT_THAT(lines_, testing::ElementsAre("warnings: WEFT_CACHE_DIRS is not a knob; did you mean WEFT_CACHE_DIR?"));
}

// A call that never returns would run into ctest's time limit.
TEST_F(Log, ASinkMayLog) {
  set_channels("memory,cache");
  set_sink([this](Channel, std::string_view message) {
    lines_.emplace_back(message);
    WEFT_LOG(cache, "logged by the sink");
  });
  testing::internal::CaptureStderr();
  WEFT_LOG(memory, "first");
  WEFT_LOG(memory, "second");
  const std::string aside = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines_, testing::ElementsAre("first", "second"));
  EXPECT_THAT(aside, testing::HasSubstr("[cache] logged by the sink\n"));
}

// A sink that computes with tensors, for example, waits for the device's thread, which also logs.
TEST_F(Log, ASinkMayWaitForAThreadThatLogs) {
  set_channels("memory,launches");
  set_sink([this](Channel channel, std::string_view message) {
    lines_.emplace_back(message);
    if (channel == Channel::memory) std::thread([] { WEFT_LOG(launches, "from the other thread"); }).join();
  });
  WEFT_LOG(memory, "first");
  EXPECT_THAT(lines_, testing::ElementsAre("first", "from the other thread"));
}

TEST_F(Log, ASinkMaySetAnother) {
  set_channels("memory");
  std::vector<std::string> second;
  const auto after = std::make_shared<std::string>("first: ");  // lives in the sink, which is replaced while it runs
  set_sink([this, &second, after](Channel, std::string_view message) {
    set_sink([&second](Channel, std::string_view later) { second.emplace_back(later); });
    lines_.push_back(concat(*after, message));
  });
  WEFT_LOG(memory, "a");
  WEFT_LOG(memory, "b");
  EXPECT_THAT(lines_, testing::ElementsAre("first: a"));
  EXPECT_THAT(second, testing::ElementsAre("b"));
}

TEST_F(Log, ASinkThatThrowsIsCalledAgain) {
  set_channels("memory");
  set_sink([this](Channel, std::string_view message) {
    lines_.emplace_back(message);
    if (message == "bad") fail("the sink failed");
  });
  EXPECT_THROW(WEFT_LOG(memory, "bad"), Error);
  WEFT_LOG(memory, "good");
  EXPECT_THAT(lines_, testing::ElementsAre("bad", "good"));
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
