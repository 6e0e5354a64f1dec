// Signals: the first one lets work that has something to save or print finish in order, and ends everything else at
// once; the second one always ends the process.
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <tests/cli/command.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
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

  void expect_ended_at_once(const Outcome& outcome, int number) {
    EXPECT_EQ(outcome.exit_code, 128 + number) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(concat("stopped by SIG", ::sigabbrev_np(number))));
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("error")));
  }
  std::string endless_program() const {
    write_file(folder / "endless.mlir", R"(func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %end = stablehlo.while(%i = %zero) : tensor<i32>
    cond { stablehlo.return %yes : tensor<i1> }
    do { stablehlo.return %i : tensor<i32> }
  return %end : tensor<i32>
}
)");
    return folder / "endless.mlir";
  }
  static std::map<std::string, std::string> contents_of(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      files[entry.path().filename()] = read_file(entry.path());
    return files;
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

// Before the first step is done there is nothing to save, so the process ends at once.
TEST_F(InterruptCommand, WhileCompilingTheFirstStep) {
  Command command(train(), [] { ::setenv("WEFT_LOGS", "passes", 1); });
  ASSERT_TRUE(command.said("simplify"));
  command.signal(SIGINT);
  expect_ended_at_once(command.wait(), SIGINT);
  EXPECT_FALSE(train::has_checkpoint(ck));
}

TEST_F(InterruptCommand, WhileAModelIsMade) {
  ASSERT_EQ(weft(train_tiny(text, {"--save", ck})).exit_code, 0);
  const auto before = contents_of(ck);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Command command(train({"--width", "512", "--layers", "16"}));
    ASSERT_TRUE(command.said("holds a checkpoint, which this run replaces"));
    command.signal(number);
    expect_ended_at_once(command.wait(), number);
    EXPECT_EQ(contents_of(ck), before) << "the checkpoint of the other run";
  }
}

TEST_F(InterruptCommand, WhileATextIsHashed) {
  ASSERT_EQ(weft(train_tiny(text, {"--save", ck})).exit_code, 0);
  std::filesystem::resize_file(text, std::uintmax_t{1} << 33);  // a sparse file, which takes no space
  Command command(train());
  ASSERT_TRUE(command.said("holds a checkpoint, which this run replaces"));
  command.signal(SIGINT);
  expect_ended_at_once(command.wait(), SIGINT);
}

// An endless program, run by each command that runs programs.
TEST_F(InterruptCommand, WhileAProgramRuns) {
  const std::string program = endless_program();
  const std::filesystem::path profile = folder / "profile";
  const std::vector<std::vector<std::string>> commands = {
      {"run", program},
      {"profile", "--output", profile, "--", "run", program},
      {"lab", "overlap", "--model", "mlp", "--steps", "1000000"},
      {"lab", "recompile", "--train-steps", "1000000"},
      {"lab", "mesh", "--batch", "2", "--steps", "1000000"},
  };
  for (const auto& arguments : commands) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    Command command(arguments, [] { ::setenv("WEFT_LOGS", "launches", 1); });
    ASSERT_TRUE(command.said("[launches]"));
    command.signal(SIGINT);
    const Outcome outcome = command.wait();
    expect_ended_at_once(outcome, SIGINT);
    EXPECT_EQ(outcome.err.find("`weft report") != std::string::npos, arguments[0] == "profile") << outcome.err;
  }
  EXPECT_EQ(weft({"report", profile}).exit_code, 0) << "what was recorded until then";
}

// Commands that work in child processes print their results so far.
TEST_F(InterruptCommand, SummariesOfWhatEndedBefore) {
  const std::string program = endless_program();
  make_folder(folder / "programs");
  write_file(folder / "programs/a.mlir", "func.func @main() { return }\n");
  std::filesystem::copy_file(program, folder / "programs/b.mlir");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"fuzz", "--graphs", "1000000000", "--seed", "1", "--json"},
           {"conformance", folder / "programs", "--json"},
       }) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    Command command(arguments);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    command.signal(SIGINT);
    const Outcome outcome = command.wait();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_THAT(outcome.err, HasSubstr("stopped by SIGINT\n"));
    EXPECT_EQ(nlohmann::json::parse(outcome.out).at("interrupted"), true);
  }
}

TEST_F(InterruptCommand, TemporaryFoldersAreRemoved) {
  make_folder(folder / "tmp");
  Command command({"lab", "mesh", "--batch", "64", "--steps", "1000000"},
                  [this] { ::setenv("TMPDIR", (folder / "tmp").c_str(), 1); });
  while (std::filesystem::is_empty(folder / "tmp")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  command.signal(SIGINT);
  expect_ended_at_once(command.wait(), SIGINT);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
}

// Otherwise temporary files would accumulate in a folder into which nothing is saved again.
TEST_F(InterruptCommand, NothingTemporaryIsLeft) {
  for (int round = 0; round < 20; ++round) {
    Command command(train({"--save-every", "1", "--width", "256"}));
    ASSERT_TRUE(command.said("train 2/"));
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    command.signal(SIGTERM);
    command.signal(SIGINT);
    EXPECT_THAT(command.wait().exit_code, testing::AnyOf(130, 143));
    for (const auto& [name, bytes] : contents_of(ck)) EXPECT_FALSE(name.starts_with(".weft-tmp-")) << name;
  }
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
