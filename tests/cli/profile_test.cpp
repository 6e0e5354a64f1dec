// weft profile, report, doctor and explain.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft::cli {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

std::vector<std::string> profiled(const std::filesystem::path& folder, std::vector<std::string> command,
                                  std::vector<std::string> options = {}) {
  std::vector<std::string> words = {"profile", "--output", folder.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

TEST(ProfileCommand, RecordsAnotherCommandAndShowsItInEveryWay) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const auto train = train_tiny(text, {"--steps", "6"});
  const Outcome made = weft(profiled(folder / "a", train, {"--json"}));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json all = json::parse(made.out);
  EXPECT_EQ(all["dropped"], 0);
  EXPECT_EQ(all["steps"].size(), 5u);
  EXPECT_EQ(all["device"]["busy_ns"].get<double>() + all["device"]["gap_ns"].get<double>(),
            all["device"]["wall_ns"].get<double>());
  EXPECT_EQ(all["ops"][0]["rank"], 1);

  const Outcome again = weft(profiled(folder / "b", train));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("trained to step 6"));
  EXPECT_THAT(again.out, HasSubstr("GFLOP/s"));

  const Outcome both = weft({"report", (folder / "a").string(), (folder / "b").string(), "--html",
                             (folder / "both.html").string(), "--json"});
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const json comparison = json::parse(both.out);
  int matched = 0;
  for (const json& op : comparison["ops"]) matched += op["name_before"] != "" && op["name_after"] != "";
  EXPECT_EQ(matched, static_cast<int>(comparison["ops"].size()));  // both runs have the same program
  EXPECT_TRUE(std::filesystem::exists(folder / "both.html"));

  const Outcome doctor = weft({"doctor", (folder / "a").string(), "--json"});
  ASSERT_EQ(doctor.exit_code, 0) << doctor.err;
  EXPECT_EQ(json::parse(doctor.out)["steps"], 5);
}

TEST(ProfileCommand, ACommandsOwnFailureIsItsOwn) {
  const TemporaryFolder folder;
  EXPECT_EQ(weft(profiled(folder / "p", {"run", (folder / "nothing.mlir").string()})).exit_code, 1);
  EXPECT_EQ(weft(profiled(folder / "wrong", {"run", "--nonsense"})).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "wrong"));
  EXPECT_EQ(weft(profiled(folder / "p", {"run", "--nonsense"})).exit_code, 2);
  EXPECT_TRUE(std::filesystem::exists(folder / "p"));  // was there before
  EXPECT_EQ(weft({"profile", "--output", (folder / "p").string()}).exit_code, 2);
}

TEST(ProfileCommand, TrainingGoesOnWhereTheProfileCannotBeWritten) {
  const TemporaryFolder folder;
  write_file(folder / "file", "in the way");
  const auto text = write_text(folder / "text");
  const Outcome blocked = weft(profiled(folder / "file", train_tiny(text, {"--steps", "3"})));
  EXPECT_EQ(blocked.exit_code, 1);
  EXPECT_THAT(blocked.out, HasSubstr("trained to step 3"));
  EXPECT_THAT(blocked.last_line(), HasSubstr("error: the profile is not whole: "));
  const Outcome full = weft(profiled(folder / "full", train_tiny(text, {"--steps", "3"})), [] {
    const rlimit little{6000, 6000};
    setrlimit(RLIMIT_FSIZE, &little);
  });
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.out, HasSubstr("trained to step 3"));
  EXPECT_THAT(full.last_line(), HasSubstr("recording.weft"));
}

TEST(ProfileCommand, WhatAKilledRunLeftCanBeReported) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  {
    Command running(profiled(folder / "p", train_tiny(text, {"--steps", "1000000", "--log-every", "100"})));
    ASSERT_TRUE(running.said("train 200/"));
    running.signal(SIGKILL);
    running.wait();
  }
  const Outcome report = weft({"report", (folder / "p").string()});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("note: "));
  EXPECT_TRUE(std::filesystem::exists(folder / "p/report.html"));
  EXPECT_EQ(weft({"doctor", (folder / "p").string()}).exit_code, 0);
}

TEST(DoctorCommand, SaysThatCheckpointsStopTheDevice) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const auto train = train_tiny(text, {"--steps", "12", "--save-every", "1", "--save", (folder / "saved").string()});
  ASSERT_EQ(weft(profiled(folder / "p", train)).exit_code, 0);
  const Outcome doctor = weft({"doctor", (folder / "p").string(), "--json"});
  ASSERT_EQ(doctor.exit_code, 0) << doctor.err;
  const json said = json::parse(doctor.out);
  double sum = said["computing_ms"].get<double>() + said["unexplained_ms"].get<double>(), checkpoints = 0;
  for (const json& finding : said["findings"]) {
    sum += finding["ms_per_step"].get<double>();
    if (finding["kind"] == "checkpoint") checkpoints += finding["ms_per_step"].get<double>();
  }
  EXPECT_NEAR(sum, said["step_ms"].get<double>(), 1e-6);
  EXPECT_GT(checkpoints, 0);
  EXPECT_THAT(weft({"doctor", (folder / "p").string()}).out, HasSubstr("save less often (--save-every)"));
}

TEST(DoctorCommand, NamesSettingsThatSlowTheRunDown) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const Outcome made = weft(profiled(folder / "p", train_tiny(text, {"--steps", "6"})), [] {
    setenv("WEFT_SYNCHRONOUS", "1", 1);
    setenv("WEFT_FUSE", "0", 1);
  });
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Outcome doctor = weft({"doctor", (folder / "p").string()});
  EXPECT_THAT(doctor.out,
              HasSubstr("1. cost not measured: a setting that slows the program down\n   where   WEFT_FUSE=0"));
  EXPECT_THAT(doctor.out, HasSubstr("where   WEFT_SYNCHRONOUS=1"));
  EXPECT_THAT(doctor.out, HasSubstr("remedy  unset WEFT_SYNCHRONOUS"));
}

TEST(DoctorCommand, RefusesWhatIsNoRecording) {
  const TemporaryFolder folder;
  write_file(folder / "zip", "PK\x03\x04");
  for (const char* command : {"doctor", "report"}) {
    const Outcome refused = weft({command, (folder / "zip").string()});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("is not a weft recording"));
    EXPECT_THAT(weft({command, folder.path().string()}).err, HasSubstr("there is no weft recording"));
  }
}

TEST(ExplainCommand, TakesTheFolderOfAProfile) {
  const TemporaryFolder folder;
  write_file(folder / "a.mlir", R"(
func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.cosine %x : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
})");
  const std::string run = folder / "p", other = folder / "nothing";
  ASSERT_EQ(weft(profiled(run, {"run", (folder / "a.mlir").string(), "--random", "1"})).exit_code, 0);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"explain", "--last", run, "--expand"},
                                                  {"explain", "--expand", "--last=" + run},
                                                  {"explain", run, "--expand"}}) {
    const Outcome explained = weft(command);
    EXPECT_EQ(explained.exit_code, 0) << explained.err;
    EXPECT_THAT(explained.out, HasSubstr("cosine("));
  }
  const Outcome missing = weft({"explain", "--last", other});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("there is no weft recording"));
  EXPECT_EQ(weft({"explain", "a.mlir", "--last", run}).exit_code, 2);
}

TEST(ExplainCommand, TellsWhatARecordingHasLost) {
  const TemporaryFolder folder;
  write_file(folder / "a.mlir",
             "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}");
  const std::string run = folder / "whole", cut = folder / "cut", file = folder / "cut" / "recording.weft";
  ASSERT_EQ(weft(profiled(run, {"run", (folder / "a.mlir").string(), "--random", "1"})).exit_code, 0);
  EXPECT_EQ(weft({"explain", run}).err, "");
  const std::string whole = read_file(folder / "whole" / "recording.weft");
  std::filesystem::create_directory(cut);

  write_file(file, whole.substr(0, whole.size() - 1));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"explain", cut}, {"report", run, cut}}) {
    const Outcome shown = weft(command);
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_THAT(shown.err, ContainsRegex("warning: .*/cut/recording.weft: the file ends early: .* bytes are lost"));
  }
  write_file(file, whole.substr(0, 100));
  const Outcome empty = weft({"explain", cut});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.err, ContainsRegex("^error: explain: the profile .*/cut/recording.weft holds no program's "
                                       "contents: the file ends early: .* bytes are lost"));
}

TEST(ExplainCommand, ShowsGraphsAndDimensions) {
  const TemporaryFolder folder;
  write_file(folder / "a.mlir", R"(
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.cosine %0 : tensor<8x6xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<8x6xf32>
  return %2 : tensor<8x6xf32>
})");
  const std::string file = (folder / "a.mlir").string();
  const Outcome text = weft({"explain", file, "--expand"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("dims: 8 = input 0 dim 0; 6 = input 1 dim 1"));
  EXPECT_THAT(text.out, HasSubstr("cosine("));
  EXPECT_THAT(weft({"explain", file, "--format", "dot"}).out, testing::StartsWith("digraph "));
  EXPECT_EQ(weft({"explain", file, "--format", "png"}).exit_code, 2);
  EXPECT_EQ(weft({"explain"}).exit_code, 2);
  EXPECT_EQ(weft({"explain", file, "--around", "%nothing"}).exit_code, 1);

  std::string chain = "func.func @main(%0: tensor<9x9xf32>) -> tensor<9x9xf32> {\n";
  for (int i = 0; i < 700; ++i)
    chain += concat("%", i + 1, " = stablehlo.dot_general %", i, ", %", i,
                    ", contracting_dims = [1] x [0] : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>\n");
  const std::string large = folder / "large.mlir";
  write_file(large, chain + "return %700 : tensor<9x9xf32>\n}");
  const Outcome picture = weft({"explain", large, "--format", "svg"});
  EXPECT_EQ(picture.exit_code, 1);
  EXPECT_THAT(picture.err, HasSubstr("too many for one picture"));
}

}  // namespace
}  // namespace weft::cli
