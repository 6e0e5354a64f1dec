// Signals: the first one lets weft train text save and end, the second one ends it.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <tests/cli/command.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/train/checkpoint.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;

class InterruptCommand : public testing::Test {
 protected:
  std::vector<std::string> train(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--steps", "1000000", "--log-every", "1", "--save", ck});
    return train_tiny(text, more);
  }
  std::int64_t saved_step() const { return train::open_checkpoint(ck).step; }
  void expect_stopped(const Outcome& outcome, int number) {
    EXPECT_EQ(outcome.exit_code, 128 + number) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(concat("stopped at step ", saved_step(), ",")));
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("error")));
    const std::string next = std::to_string(saved_step() + 1);
    EXPECT_EQ(weft(train_tiny(text, {"--resume", ck, "--steps", next})).exit_code, 0);
  }

  TemporaryFolder folder;
  std::filesystem::path ck = folder / "ck", text = write_text(folder / "text");
};

TEST_F(InterruptCommand, DuringTraining) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Command command(train());
    ASSERT_TRUE(command.said("train 3/"));
    command.signal(number);
    expect_stopped(command.wait(), number);
  }
}

TEST_F(InterruptCommand, WhileCompiling) {
  Command command(train(), [] { ::setenv("WEFT_LOGS", "passes", 1); });
  ASSERT_TRUE(command.said("simplify"));
  command.signal(SIGINT);
  const Outcome outcome = command.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_LE(saved_step(), 2);
}

TEST_F(InterruptCommand, WhileSavingOnceAndTwice) {
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    Command command(train({"--save-every", "1"}));
    ASSERT_TRUE(command.said("train 3/"));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5'000));
    command.signal(SIGINT);
    if (round % 2) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3'000));
      command.signal(SIGINT);
    }
    EXPECT_EQ(command.wait().exit_code, 130);
    EXPECT_GE(saved_step(), 2);
  }
}

TEST_F(InterruptCommand, JsonSaysSo) {
  Command command(train({"--json"}));
  ASSERT_TRUE(command.said("train 3/"));
  command.signal(SIGINT);
  const Outcome outcome = command.wait();
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report.at("interrupted"), true);
  EXPECT_EQ(report.at("steps"), saved_step());
}

TEST_F(InterruptCommand, IgnoredSignalsStayIgnored) {
  Command command(train_tiny(text, {"--steps", "200", "--log-every", "1"}), [] { std::signal(SIGHUP, SIG_IGN); });
  ASSERT_TRUE(command.said("train 3/"));
  command.signal(SIGHUP);
  const Outcome outcome = command.wait();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("trained to step 200,"));
}

}  // namespace
}  // namespace weft::cli
