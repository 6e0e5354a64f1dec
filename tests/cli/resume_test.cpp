// A run that was stopped and resumed is bitwise equal to a run without a stop, and equal runs are bitwise equal: the
// test compares files.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tests/cli/checkpoint_files.h>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/file.h>
#include <weft/train/checkpoint.h>

namespace weft::cli {
namespace {

using Arguments = std::vector<std::string>;

class Resume : public testing::Test {
 protected:
  // Trains to the end and returns the output of --json.
  nlohmann::json train(const Arguments& config, const Arguments& more, std::function<void()> in_child = [] {}) {
    Arguments arguments = {"train", "text", "--file", text, "--json"};
    arguments.insert(arguments.end(), config.begin(), config.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = weft(arguments, in_child);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
  void expect_same(const char* a, const char* b) {
    EXPECT_TRUE(checkpoint_files(folder / a) == checkpoint_files(folder / b)) << a << " " << b;
  }

  TemporaryFolder folder;
  std::filesystem::path text = write_text(folder / "text", 20'000);
};

TEST_F(Resume, OnAMeshIsBitwiseTheRunThatNeverStopped) {
  const Arguments config = {"--config", "tiny", "--batch", "4", "--dropout", "0.1"};
  for (const Arguments& mesh :
       std::vector<Arguments>{{"--mesh", "data=4"}, {"--mesh", "data=2,model=2", "--zero", "3"}}) {
    SCOPED_TRACE(testing::PrintToString(mesh));
    const auto on_mesh = [&](Arguments more) {
      more.insert(more.end(), mesh.begin(), mesh.end());
      return more;
    };
    train(config, on_mesh({"--steps", "8", "--save", folder / "whole"}));
    train(config, on_mesh({"--steps", "5", "--decay-steps", "8", "--warmup", "1", "--save", folder / "parts"}));
    train({}, on_mesh({"--steps", "8", "--resume", folder / "parts"}));
    expect_same("whole", "parts");
    std::filesystem::remove_all(folder / "whole");
    std::filesystem::remove_all(folder / "parts");
  }
}

TEST_F(Resume, ContinuesOnAnotherMesh) {
  const Arguments config = {"--config", "tiny", "--batch", "4"};
  const auto one = train(config, {"--steps", "12"});
  const auto stop = [&](const char* steps) { return Arguments{"--steps", steps, "--resume", folder / "stopped"}; };
  train(config, {"--steps", "4", "--decay-steps", "12", "--warmup", "1", "--mesh", "data=4", "--zero", "1", "--save",
                 folder / "stopped"});
  Arguments second = stop("8");
  second.insert(second.end(), {"--mesh", "data=2,model=2", "--zero", "3"});
  train({}, second);
  const auto rest = train({}, stop("12"));
  EXPECT_NEAR(rest.at("final_loss").get<double>(), one.at("final_loss").get<double>(), 1e-4);
  EXPECT_NEAR(rest.at("val_loss").get<double>(), one.at("val_loss").get<double>(), 1e-4);
}

TEST_F(Resume, IsBitwiseTheRunThatNeverStopped) {
  const std::vector<Arguments> configs = {
      {"--config", "tiny"},
      {"--config", "tiny", "--dtype", "bf16", "--dropout", "0.1"},
      {"--config", "tiny", "--dtype", "f64", "--tied", "--clip", "0", "--seed", "7", "--layers", "2"},
      {"--config", "small", "--layers", "2", "--width", "32", "--batch", "3", "--dropout", "0.2"},
      {"--config", "gpt2", "--layers", "1", "--width", "24", "--heads", "3", "--context", "20", "--batch", "1"},
  };
  for (const Arguments& config : configs) {
    SCOPED_TRACE(testing::PrintToString(config));
    const auto whole = train(config, {"--steps", "12", "--save", folder / "whole"});
    train(config, {"--steps", "12", "--save", folder / "parts", "--save-every", "5", "--val-every", "3"});
    expect_same("whole", "parts");
    std::filesystem::remove_all(folder / "parts");
    // Stopped after 7 and after 8 steps; the learning rate follows the schedule of the whole run.
    train(config, {"--steps", "7", "--decay-steps", "12", "--warmup", "1", "--save", folder / "parts"});
    train({}, {"--steps", "8", "--resume", folder / "parts"});
    const auto rest = train({}, {"--steps", "12", "--resume", folder / "parts", "--save-every", "2"});
    EXPECT_EQ(rest.at("final_loss"), whole.at("final_loss"));
    EXPECT_EQ(rest.at("val_loss"), whole.at("val_loss"));
    expect_same("whole", "parts");
  }
}

// A resumed run keeps its schedule and says so, or uses the schedule that it is given.
TEST_F(Resume, ToMoreStepsThanBefore) {
  const auto resume = [&](const Arguments& more) {
    Arguments arguments = {"train", "text", "--file", text, "--resume", folder / "ck"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.err;
  };
  const auto decay_steps = [&] {
    return std::get<std::int64_t>(train::open_checkpoint(folder / "ck").config.at("decay_steps"));
  };
  train({"--config", "tiny"}, {"--steps", "6", "--lr", "0.01", "--save", folder / "ck"});
  using testing::HasSubstr, testing::Not;
  EXPECT_THAT(resume({}), Not(HasSubstr("note: ")));
  EXPECT_THAT(resume({"--steps", "8"}), HasSubstr("note: the learning rate keeps its schedule of 6 steps and stays at "
                                                  "0.001 after them; --decay-steps 8 stretches it\n"));
  EXPECT_EQ(decay_steps(), 6);
  EXPECT_THAT(resume({"--config", "tiny", "--lr", "0.01", "--steps", "10", "--decay-steps", "20"}),
              Not(HasSubstr("note: ")));
  EXPECT_EQ(decay_steps(), 20);
  EXPECT_THAT(resume({"--steps", "12"}), Not(HasSubstr("note: "))) << "within the schedule";
}

TEST_F(Resume, AfterInterruptsIntoAnotherFolder) {
  const Arguments config = {"--dropout", "0.3", "--dtype", "bf16", "--threads", "1"};
  const auto tiny = [&](const Arguments& more) {
    Arguments arguments = train_tiny(text, config);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  ASSERT_EQ(weft(tiny({"--steps", "3000", "--save", folder / "whole"})).exit_code, 0);
  Command first(tiny({"--steps", "3000", "--save", folder / "parts", "--log-every", "1"}));
  ASSERT_TRUE(first.said("train 5/"));
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().exit_code, 130);
  Command second({"train", "text", "--file", text, "--resume", folder / "parts", "--save", folder / "next",
                  "--log-every", "1", "--threads", "1"});
  ASSERT_TRUE(second.said("train "));
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait().exit_code, 143);
  ASSERT_EQ(weft({"train", "text", "--file", text, "--resume", folder / "next", "--threads", "1"}).exit_code,
            0);  // to 3000, as saved
  expect_same("whole", "next");
}

TEST_F(Resume, EqualRunsHaveEqualBits) {
  for (const Arguments& config : {Arguments{"--config", "tiny", "--dropout", "0.1"},
                                  Arguments{"--config", "tiny", "--dtype", "bf16", "--width", "64", "--batch", "8"}}) {
    SCOPED_TRACE(testing::PrintToString(config));
    const auto a = train(config, {"--save", folder / "a", "--sample", "20"});
    auto b = train(config, {"--save", folder / "b", "--sample", "20", "--val-every", "2"},
                   [] { ::setenv("WEFT_RUN_AHEAD_LAUNCHES", "1", 1); });
    for (const char* key : {"first_loss", "final_loss", "val_loss", "sample"}) EXPECT_EQ(a.at(key), b.at(key));
    expect_same("a", "b");
  }
}

TEST_F(Resume, StrictModeGivesTheSameBitsOnAnyNumberOfThreads) {
  const auto strict = [] { ::setenv("WEFT_STRICT", "1", 1); };
  for (const Arguments& config :
       {Arguments{"--config", "tiny"}, Arguments{"--config", "tiny", "--dtype", "bf16", "--dropout", "0.1"},
        Arguments{"--config", "tiny", "--dtype", "f64", "--tied"},
        Arguments{"--width", "80", "--heads", "5", "--layers", "2", "--context", "48", "--batch", "6"}}) {
    SCOPED_TRACE(testing::PrintToString(config));
    std::vector<nlohmann::json> runs;
    for (const char* threads : {"1", "2", "3"}) {
      runs.push_back(train(config, {"--steps", "6", "--save", folder / threads, "--threads", threads}, strict));
      EXPECT_EQ(runs.back().at("val_loss"), runs.front().at("val_loss")) << threads;
      expect_same("1", threads);
    }
    // This program differs from the default one, which contracts multiplies and adds.
    const auto fast = train(config, {"--steps", "6", "--save", folder / "fast"});
    EXPECT_NEAR(fast.at("final_loss"), runs.front().at("final_loss"), 1e-2);
    EXPECT_FALSE(checkpoint_files(folder / "fast") == checkpoint_files(folder / "1"));
  }
}

}  // namespace
}  // namespace weft::cli
