// weft lab captioner: the format of its output, and the counts that do not depend on the machine.
#include <csignal>
#include <filesystem>
#include <tests/cli/command.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weft::cli {
namespace {

using nlohmann::json;

TEST(LabCaptioner, MeasuresTheWarmUp) {
  const Outcome outcome = weft({"lab", "captioner", "--data", "shapes", "--table", "warmup", "--batch", "2",
                                "--warm-up", "2", "--steps", "2", "--train-steps", "3", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  const char* const names[] = {"cold", "cached", "regional"};
  ASSERT_EQ(report["rows"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& row = report["rows"][i];
    EXPECT_EQ(row["table"], "warmup");
    EXPECT_EQ(row["name"], names[i]);
    EXPECT_GT(row["steps_per_s"], 0);
    EXPECT_GT(row["first_steps_s"], 0);
    EXPECT_GT(row["ratio"], 0);
    EXPECT_TRUE(row["recompiles_in_window"].is_number_unsigned());
  }
  EXPECT_EQ(report["rows"][0]["ratio"], 1);
  EXPECT_EQ(report["config"]["patch"], 4);
  EXPECT_EQ(report["config"]["batch"], 2);
  for (const char* key : {"cold", "cached", "layers_2", "layers_12"}) EXPECT_GT(report["compile_s"][key], 0) << key;
  EXPECT_GT(report["guarded_tensors"], 250);
  EXPECT_GE(report["guard_us_per_call"], 0);
  EXPECT_TRUE(report["caption_accuracy"] >= 0 && report["caption_accuracy"] <= 1);
}

TEST(LabCaptioner, RowsThatAreChosenAreMeasuredAlone) {
  const TemporaryFolder kernels;
  Command command({"lab", "captioner", "--data", "shapes", "--table", "static", "--row", "whole step", "--batch", "2",
                   "--warm-up", "1", "--steps", "2", "--train-steps", "0", "--kept-kernels", "--json"},
                  [&] {
                    ::setenv("WEFT_CACHE", "1", 1);
                    ::setenv("WEFT_CACHE_DIR", kernels.path().c_str(), 1);
                  });
  const Outcome outcome = command.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  ASSERT_EQ(report["rows"].size(), 1u);
  EXPECT_EQ(report["rows"][0]["name"], "whole step");
  EXPECT_EQ(report["rows"][0]["lengths"].size(), 3u);
  for (const char* key : {"compile_s", "guard_us_per_call", "caption_accuracy"})
    EXPECT_TRUE(report[key].is_null()) << key;
  EXPECT_FALSE(std::filesystem::is_empty(kernels.path())) << "later processes find the kernels there";
}

TEST(LabCaptioner, StoppedItPrintsWhatItMeasuredAndLeavesNothing) {
  for (const int number : {SIGINT, SIGTERM}) {
    const TemporaryFolder temporary;
    Command command({"lab", "captioner", "--data", "shapes", "--table", "warmup", "--batch", "2", "--warm-up", "1",
                     "--steps", "1", "--train-steps", "1000000", "--json"},
                    [&] { ::setenv("TMPDIR", temporary.path().c_str(), 1); });
    ASSERT_TRUE(command.said("warmup, cached"));
    command.signal(number);
    const Outcome outcome = command.wait();
    EXPECT_EQ(outcome.exit_code, 128 + number) << outcome.err;
    const json report = json::parse(outcome.out);
    ASSERT_GE(report["rows"].size(), 1u);
    EXPECT_EQ(report["rows"][0]["name"], "cold");
    EXPECT_TRUE(report["caption_accuracy"].is_null());
    EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  }
}

TEST(LabCaptioner, RefusesWhatItDoesNotHave) {
  EXPECT_EQ(weft({"lab", "captioner", "--size", "huge"}).exit_code, 2);
  EXPECT_EQ(weft({"lab", "captioner", "--table", "fourth"}).exit_code, 2);
  EXPECT_EQ(weft({"lab", "captioner", "--steps", "0"}).exit_code, 2);
}

}  // namespace
}  // namespace weft::cli
