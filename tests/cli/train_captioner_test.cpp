// weft train captioner: its output and files, and that a resumed run continues where it was stopped.
#include <tests/cli/checkpoint_files.h>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/file.h>
#include <weft/data/png.h>
#include <weft/train/checkpoint.h>

namespace weft::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> tiny(std::vector<std::string> more) {
  std::vector<std::string> arguments{"train",   "captioner", "--encoder-layers", "1", "--decoder-layers", "1",
                                     "--width", "16",        "--heads",          "2", "--image",          "16",
                                     "--patch", "8",         "--batch",          "4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(TrainCaptioner, PrintsOneObjectAndWritesTheSheet) {
  const TemporaryFolder folder;
  const Outcome outcome =
      weft(tiny({"--steps", "6", "--pictures", "10", "--examples", "5", "--sheet", folder / "sheet", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["steps"], 6);
  EXPECT_EQ(report["pictures"], 10);
  EXPECT_EQ(report["recompiles"], 0);
  EXPECT_GT(report["parameters"], 5000);
  for (const char* key : {"first_loss", "final_loss", "val_loss", "pictures_per_s", "step_ms_p50", "compile_ms"})
    EXPECT_GT(report[key], 0) << key;
  for (const char* key : {"caption_accuracy", "token_accuracy"})
    EXPECT_TRUE(report[key] >= 0 && report[key] <= 1) << key;
  const std::string png = read_file(folder / "sheet.png"), page = read_file(folder / "sheet.html");
  const auto* bytes = reinterpret_cast<const std::byte*>(png.data());
  const data::RgbImage sheet = data::decode_png({bytes, bytes + png.size()});
  EXPECT_GT(sheet.width, 5 * 100);
  EXPECT_THAT(page, AllOf(HasSubstr("<!doctype html>"), HasSubstr("of 10 captions"), HasSubstr("</html>")));
}

TEST(TrainCaptioner, ResumesBitForBit) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& config :
       {std::vector<std::string>{"--dropout", "0.1"},
        {"--dtype", "bf16", "--data", "random", "--context", "64", "--padding", "buckets:32,64"}}) {
    SCOPED_TRACE(testing::PrintToString(config));
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), config.begin(), config.end());
      more.insert(more.end(), {"--pictures", "0"});
      return tiny(std::move(more));
    };
    const Outcome whole = weft(with({"--steps", "6", "--save", folder / "whole", "--workers", "2"}));
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    ASSERT_EQ(weft(with({"--steps", "4", "--decay-steps", "6", "--warmup", "1", "--save", folder / "parts"})).exit_code,
              0);
    ASSERT_EQ(
        weft({"train", "captioner", "--resume", folder / "parts", "--steps", "6", "--pictures", "0", "--workers", "0"})
            .exit_code,
        0);
    EXPECT_TRUE(checkpoint_files(folder / "whole") == checkpoint_files(folder / "parts"));
  }
  const Outcome other = weft({"train", "captioner", "--resume", folder / "parts", "--width", "32", "--steps", "9"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, AllOf(HasSubstr("cannot resume: width is 16 in the checkpoint"),
                               HasSubstr("and 32 in the command line")));
}

TEST(TrainCaptioner, RefusesWhatMakesNoRun) {
  const auto expect_wrong = [](std::vector<std::string> arguments, const char* message) {
    arguments.insert(arguments.begin(), {"train", "captioner"});
    const Outcome outcome = weft(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(testing::MatchesRegex("error: [^\n]+\n"), HasSubstr(message)));
  };
  expect_wrong({"--patch", "5"}, "--patch must divide the image");
  expect_wrong({"--data", "cats"}, "--data must be shapes or random, got cats");
  expect_wrong({"--padding", "7"}, "--padding must be fixed, longest");
  expect_wrong({"--padding", "buckets:1,x"}, "x is no length");
  expect_wrong({"--padding", "buckets:0,11"}, "error: --padding: Bucketing: sizes must be positive, got 0");
  expect_wrong({"--padding", "buckets:8,4,11"}, "error: --padding: Bucketing: every size must be greater");
  expect_wrong({"--size", "huge"}, "--size");
  expect_wrong({"--workers", "-1"}, "--workers");
  const Outcome large = weft({"train", "captioner", "--width", "1048576", "--heads", "1", "--steps", "1"});
  EXPECT_EQ(large.exit_code, 1);
  EXPECT_THAT(large.err, HasSubstr("not enough memory"));
}

// The error occurs before any training, and before the folder of the checkpoint is created.
TEST(TrainCaptioner, RefusesASheetThatCannotBeWritten) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.html");
  const auto refused = [&](const std::filesystem::path& sheet) {
    const Outcome outcome =
        weft(tiny({"--steps", "2", "--log-every", "1", "--sheet", sheet, "--save", folder / "checkpoint"}));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("train ")));
    EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint"));
    return outcome.last_line();
  };
  EXPECT_THAT(refused(folder / "none" / "sheet"), HasSubstr("none: No such file or directory"));
  EXPECT_THAT(refused(folder / "folder"), HasSubstr("folder.html: it is no regular file"));
  const auto entries = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "nothing is left behind";
}

}  // namespace
}  // namespace weft::cli
